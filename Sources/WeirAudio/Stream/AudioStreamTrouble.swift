// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Bytes that are no audio, or damaged audio, that a parser got over.
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

    /// Trouble.
    public init(_ kind: Kind, _ range: Range<Int64>) {
        self.kind = kind
        self.range = range
    }
}
