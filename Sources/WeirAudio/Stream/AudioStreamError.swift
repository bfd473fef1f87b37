// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Why a stream cannot be parsed, or not on.
public struct AudioStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of fault it is; more may be added.
    public struct Code: Hashable, Sendable {
        let rawValue: String

        /// The bytes are no format that is known here.
        public static let unrecognized = Code(rawValue: "unrecognized")
        /// The bytes are a page of text or a playlist, not a stream.
        public static let notAudio = Code(rawValue: "notAudio")
        /// A format that is known and not supported.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The bytes break a rule of their format in a way that cannot be got over.
        public static let malformed = Code(rawValue: "malformed")
        /// The stream ends before its first packet.
        public static let ended = Code(rawValue: "ended")
        /// A declared limit is exceeded: what is asked to be kept is too large.
        public static let limit = Code(rawValue: "limit")
        /// What is needed lies behind, and the stream goes only forwards.
        public static let unreachable = Code(rawValue: "unreachable")
    }

    /// What kind of fault it is.
    public var code: Code
    /// Where in the stream it was found.
    public var offset: Int64
    /// A sentence without its full stop that says what is wrong.
    public var reason: String

    /// A fault.
    public init(_ code: Code, at offset: Int64, _ reason: String) {
        self.code = code
        self.offset = offset
        self.reason = reason
    }

    /// The sentence, with the offset.
    public var description: String { "\(self.reason) (at byte \(self.offset))." }
}
