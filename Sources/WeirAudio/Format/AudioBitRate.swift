// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How many bits a second a stream takes.
public struct AudioBitRate: Hashable, Sendable {
    /// What the number stands for.
    public enum Kind: String, Hashable, Sendable {
        /// Every packet has this rate.
        case constant
        /// An average of the whole stream, counted or from its tables.
        case average
        /// An average of the packets so far.
        case measured
        /// What the encoder aimed at.
        case nominal
    }

    /// Bits a second.
    public var bitsPerSecond: Int
    /// What the number stands for.
    public var kind: Kind

    /// A rate.
    public init(_ bitsPerSecond: Int, _ kind: Kind) {
        self.bitsPerSecond = bitsPerSecond
        self.kind = kind
    }
}
