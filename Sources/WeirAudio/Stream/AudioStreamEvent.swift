// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An event of a parser, in the order of the stream.
///
/// The rare cases are stored behind a reference, so that moving a packet costs no more than its own
/// size.
public enum AudioStreamEvent: Hashable, Sendable {
    /// The format, when it becomes known or when more of it becomes known; later packets have this
    /// format.
    indirect case format(AudioFormat)
    /// A packet.
    case packet(AudioPacket)
    /// A tag, a comment header, chapters.
    indirect case tags(AudioTags)
    /// The parser skipped some bytes; the stream goes on.
    case trouble(AudioStreamFailure)
    /// The parser must continue at another offset: call ``AudioStreamParser/jump(to:start:)`` and
    /// push from there.
    ///
    /// A caller that can only read forwards keeps pushing: the parser skips the bytes before the
    /// offset. If the offset is before the read position, the next bytes make the parser throw
    /// ``AudioStreamError/Code/unreachable``.
    case wanted(Int64)
}

/// Bytes that are not audio, or damaged audio, after which the parser goes on.
public struct AudioStreamFailure: Hashable, Sendable {
    /// The kind of trouble.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// A sentence without its full stop.
        public let description: String

        init(_ description: String) { self.description = description }

        /// Bytes that belong to no packet.
        public static let garbage = Kind("bytes that belong to no packet")
        /// A checksum does not match the bytes that it covers.
        public static let badChecksum = Kind("a checksum does not match")
        /// The numbers of pages or frames show that some are missing.
        public static let missing = Kind("pieces of the stream are missing")
        /// A packet ends with the stream, before its own end.
        public static let truncated = Kind("the stream ends within a packet")
        /// A header contradicts itself or a measurement; the parser ignores the header.
        public static let contradiction = Kind("a header contradicts the stream")
        /// A tag that cannot be read.
        public static let badTag = Kind("a tag cannot be read")
        /// A part that exceeds a limit; the parser skips it.
        public static let tooLarge = Kind("a part exceeds a limit and is skipped")
    }

    /// The kind of trouble.
    public var kind: Kind
    /// The range of the bytes in the stream.
    public var range: Range<Int64>

    /// A kind of trouble in a range.
    public init(_ kind: Kind, _ range: Range<Int64>) {
        self.kind = kind
        self.range = range
    }
}

/// The reason why a stream cannot be parsed, or not any further.
public struct AudioStreamError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault; later versions may add more.
    public struct Code: Hashable, Sendable {
        let rawValue: String

        /// The bytes are not in a format that Weir recognises.
        public static let unrecognized = Code(rawValue: "unrecognized")
        /// The bytes are a page of text or a playlist, not a stream.
        public static let notAudio = Code(rawValue: "notAudio")
        /// Weir recognises the format and does not support it.
        public static let unsupported = Code(rawValue: "unsupported")
        /// The bytes break a rule of their format in a way that the parser cannot recover from.
        public static let malformed = Code(rawValue: "malformed")
        /// The stream ends before its first packet.
        public static let ended = Code(rawValue: "ended")
        /// The stream needs more memory than ``AudioStreamLimits`` allow.
        public static let limit = Code(rawValue: "limit")
        /// The needed bytes are before the read position, and the stream cannot go back.
        public static let unreachable = Code(rawValue: "unreachable")
    }

    /// The kind of fault.
    public var code: Code
    /// The offset in the stream where the parser found the fault.
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
    public var description: String {
        self.offset == 0 ? "\(self.reason)." : "\(self.reason) (at byte \(self.offset))."
    }
}
