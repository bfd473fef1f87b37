// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A response that is not a resource: a status and one sentence for a person.
struct PlainAnswer: Hashable, Sendable {
    var status: Int
    /// The body, without its line end; `nil` for none.
    var sentence: String?
    /// The length of the resource that the range does not fit, for 416 (RFC 9110 §14.4).
    var unsatisfiedLength: Int64?
    /// Seconds after which the client may ask again.
    var retryAfter: Int?
    /// Whether the response lists the served methods.
    var listsMethods = false
    /// Whether the connection ends with the response, such as when the start of the next request is
    /// unknown.
    var closes = false

    static let healthy = PlainAnswer(status: 200, sentence: "ok")

    static let notReady = PlainAnswer(
        status: 503,
        sentence: "The cache is not open, or cannot keep anything; media still play."
    )

    /// The log says why; the response does not.
    static let forbidden = PlainAnswer(
        status: 403,
        sentence: "This address is not valid, or has expired; get a new one from its source."
    )

    /// Answers OPTIONS; separate fields name the site that may ask across sites.
    static let options = PlainAnswer(status: 204, listsMethods: true)

    /// A wrong secret and an unknown name look the same.
    static let notFound = PlainAnswer(
        status: 404,
        sentence: "There is nothing at this address; copy the whole address that weir printed."
    )

    static let methodNotAllowed = PlainAnswer(
        status: 405,
        sentence: "Only GET, HEAD and OPTIONS are answered here.",
        listsMethods: true
    )

    /// An origin's content shares its site with the page, and must never run there.
    static let noScript = PlainAnswer(
        status: 403,
        sentence: "Weir serves media for players, not scripts; load scripts from elsewhere."
    )

    static let missingHost = PlainAnswer(
        status: 400,
        sentence: "The request has no Host field, which HTTP/1.1 requires."
    )

    static let severalHosts = PlainAnswer(
        status: 400,
        sentence: "The request has more than one Host field."
    )

    static let unreadableHost = PlainAnswer(
        status: 400,
        sentence: "The request's Host field is not a name with an optional port."
    )

    static let misdirected = PlainAnswer(
        status: 421,
        sentence: "This proxy does not answer to that host name;"
            + " use 127.0.0.1, or permit the name in the proxy's settings (--allow-host)."
    )

    static let unreadableTarget = PlainAnswer(
        status: 400,
        sentence: "The request's target is not a valid path."
    )

    /// Some servers resolve a path with these segments to another path.
    static let dotSegment = PlainAnswer(
        status: 400,
        sentence:
            "A segment of the path is '.' or '..', in this or another spelling; give the path without it."
    )

    static let targetTooLong = PlainAnswer(
        status: 414,
        sentence: "The request's target is longer than 16 KiB.",
        closes: true
    )

    static let fieldsTooLarge = PlainAnswer(
        status: 431,
        sentence:
            "The request's header is too large: at most 100 fields, 16 KiB each, 64 KiB in all.",
        closes: true
    )

    static let unreadable = PlainAnswer(
        status: 400,
        sentence:
            "The received bytes are not an HTTP request; use an address that starts with http://.",
        closes: true
    )

    static let bareLineFeed = PlainAnswer(
        status: 400,
        sentence:
            "The request line ends with a line feed alone; HTTP requires a carriage return before it.",
        closes: true
    )

    static let unknownVersion = PlainAnswer(
        status: 505,
        sentence: "The server supports only HTTP/1.0 and HTTP/1.1.",
        closes: true
    )

    static let notHeld = PlainAnswer(
        status: 504,
        sentence:
            "These bytes are not held, and the request forbids to fetch them (only-if-cached);"
            + " ask without it."
    )

    static let tooManyConnections = PlainAnswer(
        status: 503,
        sentence: "Too many players are connected; close some, or try again.",
        retryAfter: 1,
        closes: true
    )
}

extension PlainAnswer {
    /// Reports a failure at the source to a player and its user.
    ///
    /// The status says where to look: 4xx at the origin's own answer, 502 and 504 between the proxy
    /// and the origin, 500 in the proxy. The sentence is the failure's own.
    init(_ failure: any Error) {
        guard let failure = failure as? SourceError else {
            self = failure is CancellationError ? .closed : .unexplained
            return
        }
        self.init(status: Self.status(of: failure), sentence: failure.message)
        switch failure.code {
        case .rangeNotSatisfiable:
            // It has no body, like every 416: players ask for such ranges on purpose.
            self.sentence = nil
            self.unsatisfiedLength = failure.length
        case .throttled:
            self.retryAfter = failure.retryAfter ?? 10
        default:
            break
        }
    }

    /// The sentence of a log for a failure at the source.
    ///
    /// - Returns: `nil` for a range past the end, which players ask for on purpose, and for a
    ///   cancelled reading.
    static func sentence(of failure: any Error) -> String? {
        let answer = PlainAnswer(failure)
        return answer == .closed ? nil : answer.sentence
    }

    /// The sentence for a failure in the log of the source's owner.
    ///
    /// - Returns: `nil` if ``sentence(of:)`` returns `nil`.
    static func ownerSentence(of failure: any Error) -> String? {
        self.sentence(of: failure).map { (failure as? SourceError)?.ownerMessage ?? $0 }
    }

    private static func status(of failure: SourceError) -> Int {
        switch failure.code {
        case .invalidRequest: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: failure.status == 410 ? 410 : 404
        case .rangeNotSatisfiable: 416
        case .cacheFailed: 500
        case .throttled, .closed: 503
        case .timedOut, .offline: 504
        // Unreachable, insecure, originFailed, badAnswer, truncated, notMedia, changed, failed, and
        // later codes.
        default: 502
        }
    }

    private static let closed = PlainAnswer(
        status: 503,
        sentence: "The resource was closed before it could be read; try again."
    )

    private static let unexplained = PlainAnswer(
        status: 500,
        sentence: "The resource could not be read, for an unknown reason; try again."
    )
}
