// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Why a resource could not be described or read.
///
/// ``message`` is one sentence for a person: what was tried, what happened, what to do. No credential
/// and no query of a URL is in it, nor the place where a credential was read: a proxy answers its clients with it.
public struct SourceError: Error, Sendable {
    /// What went wrong, as a kind that code can act on.
    ///
    /// The list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// The request itself makes no sense: a URL without a host, a header without a name.
        public static let invalidRequest = Code("invalidRequest")
        /// There is no such resource (404), or no longer (410).
        public static let notFound = Code("notFound")
        /// The origin wants a credential, or another one (401).
        public static let unauthorized = Code("unauthorized")
        /// The origin refuses every client (403 and other client errors).
        public static let forbidden = Code("forbidden")
        /// The range starts past the end of the resource (416).
        public static let rangeNotSatisfiable = Code("rangeNotSatisfiable")
        /// The resource is no longer the generation that the reader was reading.
        public static let changed = Code("changed")
        /// Something else was sent where media was expected: an HTML page.
        public static let notMedia = Code("notMedia")
        /// The origin broke the protocol: a wrong `Content-Range`, a coding that was not asked for.
        public static let badAnswer = Code("badAnswer")
        /// The body ended before its announced end, again and again.
        public static let truncated = Code("truncated")
        /// No answer: no such host, connection refused or lost.
        public static let unreachable = Code("unreachable")
        /// No connection, no first byte or no next byte within its time.
        public static let timedOut = Code("timedOut")
        /// The certificate or the TLS handshake was refused.
        public static let insecure = Code("insecure")
        /// The origin asks for patience (429, 503 with Retry-After) longer than we have.
        public static let throttled = Code("throttled")
        /// The origin failed (5xx).
        public static let originFailed = Code("originFailed")
        /// The origin must not be asked, and the bytes are not held.
        public static let offline = Code("offline")
        /// The cache's disk failed.
        public static let cacheFailed = Code("cacheFailed")
        /// The resource is encrypted, and the key is another one.
        public static let wrongKey = Code("wrongKey")
        /// The bytes are not those that were written: bits have flipped, or a part is missing.
        public static let damaged = Code("damaged")
        /// The source was closed while it was read.
        public static let closed = Code("closed")
        /// Something failed for a reason that this list does not have: ``SourceError/cause`` has it.
        ///
        /// An error that an application's own source or closure throws, and that is no ``SourceError``.
        public static let failed = Code("failed")

        /// Every code.
        package static let all: [Code] = [
            .invalidRequest, .notFound, .unauthorized, .forbidden, .rangeNotSatisfiable, .changed,
            .notMedia, .badAnswer, .truncated, .unreachable, .timedOut, .insecure, .throttled,
            .originFailed, .offline, .cacheFailed, .wrongKey, .damaged, .closed, .failed,
        ]

        /// The code of a name, as ``description`` gives it; `nil` if there is none.
        public init?(named name: String) {
            guard let code = Code.all.first(where: { $0.description == name }) else { return nil }
            self = code
        }
    }

    /// The kind.
    public var code: Code
    /// One sentence that anybody may read.
    public var message: String {
        // A new sentence says something else than the owner's.
        didSet { self.ownerSentence = nil }
    }
    /// The sentence for the person who configured the source, where it names more than ``message``.
    private var ownerSentence: String?
    /// What was underneath.
    public var cause: (any Error)?
    /// The bytes that were asked for.
    public var range: Range<Int64>?
    /// The host that was asked, with its port if that is unusual; no credentials.
    public var host: String?
    /// The HTTP status of the answer.
    public var status: Int?
    /// The length of the resource, where the answer told it (416).
    public var length: Int64?

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
    /// It names the variables, files, options and accounts that the configuration names: `the one in TOKEN was refused`.
    /// Only that person's terminal and log may show it. It is ``message`` where there is no more to name, and where
    /// ``message`` was changed since.
    package var ownerMessage: String { self.ownerSentence ?? self.message }

    /// The error, with another sentence for the person who configured the source.
    package func tellingOwner(_ sentence: String) -> SourceError {
        var error = self
        error.ownerSentence = sentence == self.message ? nil : sentence
        return error
    }

    /// A range that starts past the end of a resource of known length.
    public static func pastTheEnd(_ range: RequestedRange, length: Int64) -> SourceError {
        SourceError(
            .rangeNotSatisfiable,
            "The range \(range) starts past the end of the resource, which has \(length) bytes.",
            length: length
        )
    }
}

extension SourceError {
    /// The error for one of a type that is not Weir's.
    ///
    /// The sentence has what the type says for a person, else the type's name alone: what else is in it may be an address
    /// with its query.
    ///
    /// - Parameters:
    ///   - error: what was thrown.
    ///   - attempt: what was tried, to stand after "Could not": `fetch the medium`.
    ///   - advice: what to do: `read it again`.
    package init(unnamed error: any Error, attempt: String, advice: String) {
        var reason =
            (error as? any LocalizedError)?.errorDescription ?? "\(type(of: error)) was thrown"
        if reason.hasSuffix(".") { reason.removeLast() }
        self.init(.failed, "Could not \(attempt): \(reason); \(advice).", cause: error)
    }
}

extension SourceError: LocalizedError, CustomStringConvertible {
    /// The sentence.
    public var errorDescription: String? { self.description }

    /// The sentence.
    public var description: String { self.message }
}

/// Two errors are equal when they say the same; their causes do not count.
extension SourceError: Hashable {
    /// Whether all but the causes are equal.
    public static func == (left: SourceError, right: SourceError) -> Bool {
        left.code == right.code && left.message == right.message
            && left.ownerSentence == right.ownerSentence && left.range == right.range
            && left.host == right.host && left.status == right.status && left.length == right.length
    }

    /// Hashes all but the cause.
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

/// Whether the caller of a source has been patient enough with the resource already.
///
/// Where several sources can bring a resource and one has failed after all its repetitions, the next is asked once:
/// the patience is the resource's, not each source's own.
package enum RetryAllowance {
    /// Whether sources that are asked in this task shall not repeat what fails at first.
    @TaskLocal package static var isSpent = false
}
