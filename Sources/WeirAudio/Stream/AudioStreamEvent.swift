// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An event of a parser, in the order of the stream.
///
/// The rare ones are kept behind a reference, so that to move a packet costs no more than its size.
public enum AudioStreamEvent: Hashable, Sendable {
    /// The format is known, or more of it than before; packets that follow are of this format.
    indirect case format(AudioFormat)
    /// A packet.
    case packet(AudioPacket)
    /// A tag, a comment header, chapters.
    indirect case tags(AudioTags)
    /// Something was passed over and the stream goes on.
    case trouble(AudioStreamTrouble)
    /// The parser has to go on at another offset: call ``AudioStreamParser/jump(to:start:)`` and push from there.
    ///
    /// A caller that can only read forwards goes on pushing: the bytes before the offset are passed over. If it lies behind,
    /// the next bytes make the parser throw ``AudioStreamError/Code/unreachable``.
    case wanted(Int64)
}

/// Bytes that are no audio, or damaged audio, after which the parser goes on.
public struct AudioStreamTrouble: Hashable, Sendable {
    /// What it was.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// A sentence without its full stop.
        public let description: String

        init(_ description: String) { self.description = description }

        /// Bytes that belong to no packet.
        public static let garbage = Kind("bytes that belong to no packet")
        /// A checksum does not fit what it covers.
        public static let badChecksum = Kind("a checksum does not fit")
        /// Pieces are missing, by their numbers.
        public static let missing = Kind("pieces of the stream are missing")
        /// A packet ends with the stream, before its own end.
        public static let truncated = Kind("the stream ends within a packet")
        /// A header contradicts itself or what was measured, and was not believed.
        public static let contradiction = Kind("a header contradicts the stream")
        /// A tag that cannot be read.
        public static let badTag = Kind("a tag cannot be read")
        /// Something that is passed over since it exceeds a limit.
        public static let tooLarge = Kind("a part exceeds a limit and is passed over")
    }

    /// What it was.
    public var kind: Kind
    /// Where it is in the stream.
    public var range: Range<Int64>

    /// A kind of trouble in a range.
    public init(_ kind: Kind, _ range: Range<Int64>) {
        self.kind = kind
        self.range = range
    }
}

/// Why a stream cannot be parsed, or not any further.
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
        /// The bytes break a rule of their format in a way that the parser cannot recover from.
        public static let malformed = Code(rawValue: "malformed")
        /// The stream ends before its first packet.
        public static let ended = Code(rawValue: "ended")
        /// A declared limit is exceeded: the stream asks for too much memory.
        public static let limit = Code(rawValue: "limit")
        /// The bytes that are needed lie behind, and the stream goes only forwards.
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
    public var description: String {
        self.offset == 0 ? "\(self.reason)." : "\(self.reason) (at byte \(self.offset))."
    }
}
