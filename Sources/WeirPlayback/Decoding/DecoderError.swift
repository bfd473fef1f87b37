// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A packet or a format that cannot be decoded.
public struct DecoderError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is; the list may grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// No decoder here knows the codec.
        public static let unsupported = Code("unsupported")
        /// What the stream says about its codec cannot be used.
        public static let badConfiguration = Code("badConfiguration")
        /// The packet is damaged; the next may be sound.
        public static let badPacket = Code("badPacket")
        /// The decoder's library failed; this decoder is of no more use.
        public static let failed = Code("failed")
    }

    /// The kind.
    public var code: Code
    /// One sentence for a person.
    public var message: String

    /// Describes a failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The sentence.
    public var description: String { self.message }
}
