// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a resource could not be described or read.
///
/// ``message`` is one sentence for a person: what was tried, what happened, what to do. It contains
/// no credential, no query of a URL, and no source of a credential, because a proxy sends the
/// message to its clients.
public struct SourceError: ExplainedError {
    /// The kind of the failure, for code that reacts to it.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The request itself is invalid: a URL without a host, a header without a name.
        public static let invalidRequest = Code("invalidRequest")
        /// The resource does not exist (404), or no longer (410).
        public static let notFound = Code("notFound")
        /// The origin needs a credential, or another one (401).
        public static let unauthorized = Code("unauthorized")
        /// The origin refuses the request (403 and other client errors).
        public static let forbidden = Code("forbidden")
        /// The range starts past the end of the resource (416).
        public static let rangeNotSatisfiable = Code("rangeNotSatisfiable")
        /// The resource is no longer the generation that the reader was reading.
        public static let changed = Code("changed")
        /// The origin sent something else in place of media: an HTML page.
        public static let notMedia = Code("notMedia")
        /// The origin broke the protocol: a wrong `Content-Range`, a coding that was not requested.
        public static let badAnswer = Code("badAnswer")
        /// The body ended before its announced end, at every attempt.
        public static let truncated = Code("truncated")
        /// No response: no such host, connection refused or lost.
        public static let unreachable = Code("unreachable")
        /// A connection, a first byte or a next byte did not arrive in time.
        public static let timedOut = Code("timedOut")
        /// The certificate or the TLS handshake was refused.
        public static let insecure = Code("insecure")
        /// The origin asks for a longer pause (429, 503 with Retry-After) than Weir accepts.
        public static let throttled = Code("throttled")
        /// The origin failed (5xx).
        public static let originFailed = Code("originFailed")
        /// Requests to the origin are forbidden, and the bytes are not held.
        public static let offline = Code("offline")
        /// The cache's disk failed.
        public static let cacheFailed = Code("cacheFailed")
        /// The resource is encrypted, and the key does not fit.
        public static let wrongKey = Code("wrongKey")
        /// The bytes differ from the written ones: bits have flipped, or a part is missing.
        public static let damaged = Code("damaged")
        /// The source was closed during the reading.
        public static let closed = Code("closed")
        /// Something failed for a reason that this list does not have; see ``SourceError/cause``.
        ///
        /// An application's own source or closure has thrown an error that is not a
        /// ``SourceError``.
        public static let failed = Code("failed")

        /// Every code.
        package static let all: [Code] = [
            .invalidRequest, .notFound, .unauthorized, .forbidden, .rangeNotSatisfiable, .changed,
            .notMedia, .badAnswer, .truncated, .unreachable, .timedOut, .insecure, .throttled,
            .originFailed, .offline, .cacheFailed, .wrongKey, .damaged, .closed, .failed,
        ]

        /// The code with a name, as in ``description``; `nil` for an unknown name.
        public init?(named name: String) {
            guard let code = Code.all.first(where: { $0.description == name }) else { return nil }
            self = code
        }
    }

    /// The kind.
    public var code: Code
    /// One sentence that anyone may read.
    public var message: String {
        // The owner's sentence belongs to the old message.
        didSet { self.ownerSentence = nil }
    }
    /// The sentence for the person who configured the source, if it says more than ``message``.
    private var ownerSentence: String?
    /// The underlying error.
    public var cause: (any Error)?
    /// The requested bytes.
    public var range: Range<Int64>?
    /// The host of the request, with its port if that is unusual; without credentials.
    public var host: String?
    /// The HTTP status of the response.
    public var status: Int?
    /// The length of the resource, if the response contained it (416).
    public var length: Int64?
    /// After how many seconds a player may ask again; `nil` if that is not known.
    package var retryAfter: Int?

    /// Describes a failure.
    public init(
        _ code: Code,
        _ message: String,
        cause: (any Error)? = nil,
        range: Range<Int64>? = nil,
        host: String? = nil,
        status: Int? = nil,
        length: Int64? = nil
    ) {
        self.code = code
        self.message = message
        self.cause = cause
        self.range = range
        self.host = host
        self.status = status
        self.length = length
    }

    /// The sentence for the person who configured the source.
    ///
    /// It names the variables, files, options and accounts of the configuration: `the one in TOKEN
    /// was refused`. Only that person's terminal and log may show it. It equals ``message`` if
    /// there is nothing more to name, or if ``message`` was changed later.
    package var ownerMessage: String { self.ownerSentence ?? self.message }

    /// A copy of the error with another sentence for the person who configured the source.
    package func tellingOwner(_ sentence: String) -> SourceError {
        var error = self
        error.ownerSentence = sentence == self.message ? nil : sentence
        return error
    }

    /// The error for a range that starts past the end of a resource of known length.
    public static func pastTheEnd(_ range: RequestedRange, length: Int64) -> SourceError {
        SourceError(
            .rangeNotSatisfiable,
            "The range \(range) starts past the end of the resource, which has \(length) bytes.",
            length: length
        )
    }
}

extension SourceError {
    /// Wraps an error of a foreign type.
    ///
    /// The sentence contains the foreign error's description for a person, or only the name of its
    /// type: other texts of the error may contain an address with its query.
    ///
    /// - Parameters:
    ///   - error: the foreign error.
    ///   - attempt: the failed action, to follow "Could not": `fetch the medium`.
    ///   - advice: what to do: `read it again`.
    package init(unnamed error: any Error, attempt: String, advice: String) {
        var reason =
            (error as? any LocalizedError)?.errorDescription ?? "\(type(of: error)) was thrown"
        if reason.hasSuffix(".") { reason.removeLast() }
        self.init(.failed, "Could not \(attempt): \(reason); \(advice).", cause: error)
    }
}

/// Two errors are equal when all their members except the causes are equal.
extension SourceError: Hashable {
    /// Whether all members except the causes are equal.
    public static func == (left: SourceError, right: SourceError) -> Bool {
        left.code == right.code && left.message == right.message
            && left.ownerSentence == right.ownerSentence && left.range == right.range
            && left.host == right.host && left.status == right.status && left.length == right.length
    }

    /// Hashes all members except the cause.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.code)
        hasher.combine(self.message)
        hasher.combine(self.ownerSentence)
        hasher.combine(self.range)
        hasher.combine(self.host)
        hasher.combine(self.status)
        hasher.combine(self.length)
    }
}

/// Whether the caller of a source has already used the retries for a resource.
///
/// If several sources have a resource and one has failed after all its retries, the next source is
/// asked once. The limit on retries belongs to the resource, not to each source.
package enum RetryAllowance {
    /// Whether sources in this task must not repeat a failed request.
    @TaskLocal package static var isSpent = false
}
