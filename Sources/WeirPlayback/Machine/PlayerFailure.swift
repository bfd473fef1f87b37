// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Why a player could not continue.
public struct PlayerFailure: ExplainedError, Hashable {
    /// The kind of a failure; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The bytes could not be read; the cause is the error.
        public static let source = Code("source")
        /// The bytes are not audio, or too damaged.
        public static let notAudio = Code("notAudio")
        /// There is no decoder for the codec.
        public static let unsupported = Code("unsupported")
        /// Too many packets in a row could not be decoded, or none of an item's packets.
        public static let undecodable = Code("undecodable")
        /// The sink failed.
        public static let sink = Code("sink")
    }

    /// The kind.
    public var code: Code
    /// One sentence for people: the attempt, the result, and what to do.
    public var message: String
    /// The underlying error: a `SourceError`, an `AudioStreamError`, an ``AudioError``.
    public var cause: (any Error)?

    /// Describes a failure.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// Compares kind and message, and not the causes.
    public static func == (left: PlayerFailure, right: PlayerFailure) -> Bool {
        left.code == right.code && left.message == right.message
    }

    /// Hashes kind and message.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.code)
        hasher.combine(self.message)
    }
}
