// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How an uncompressed sample lies in memory.
public struct PCMLayout: Hashable, Sendable {
    /// What the bits of a sample are.
    public enum Encoding: String, Hashable, Sendable {
        /// Two's complement.
        case signedInteger
        /// Offset binary, as in 8 bit WAVE.
        case unsignedInteger
        /// IEEE 754.
        case float
        /// ITU-T G.711 A-law.
        case aLaw
        /// ITU-T G.711 µ-law.
        case muLaw
    }

    /// What the bits are.
    public var encoding: Encoding
    /// How many bits a sample takes in memory, a multiple of 8.
    public var bitsPerSample: Int
    /// Whether the most significant byte comes first.
    public var isBigEndian: Bool

    /// A layout.
    public init(encoding: Encoding, bitsPerSample: Int, isBigEndian: Bool = false) {
        self.encoding = encoding
        self.bitsPerSample = bitsPerSample
        self.isBigEndian = isBigEndian
    }
}
