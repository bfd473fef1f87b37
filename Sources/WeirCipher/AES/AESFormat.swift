// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a file was encrypted with AES: everything but the key.
///
/// A stored file is, in this order: 16 bytes of the vector, if ``initialVector`` is ``InitialVector/prefix`` (or
/// `Salted__` and a salt, if the key is derived from a passphrase); ``plainHeaderLength`` bytes as they are in the
/// plain file; and the rest of the plain file, encrypted. None of it is authenticated: whoever can write to the
/// server can change what is played.
public struct AESFormat: Hashable, Sendable {
    /// The mode of operation (NIST SP 800-38A).
    public enum Mode: Hashable, Sendable {
        /// A counter of 128 bits, big-endian, one up for each block.
        case ctr
        /// Cipher block chaining.
        case cbc
        /// Every block by itself, which shows where blocks repeat.
        case ecb
    }

    /// How CBC and ECB fill up the last block; CTR has no need to.
    public enum Padding: Hashable, Sendable {
        /// 1 to 16 bytes, each of which says how many (RFC 5652 §6.3).
        case pkcs7
        /// Nothing: the encrypted part is a whole number of blocks.
        case none
    }

    /// The mode.
    public var mode: Mode
    /// Where the vector comes from; of no meaning for ECB.
    public var initialVector: InitialVector
    /// What is added to the vector for the first block of CTR.
    public var initialCounter: UInt64
    /// How the last block of CBC and ECB is filled up.
    public var padding: Padding
    /// How many bytes at the start of the plain file are stored as they are.
    public var plainHeaderLength: Int64

    /// Describes a format.
    public init(
        _ mode: Mode,
        initialVector: InitialVector = .prefix,
        initialCounter: UInt64 = 0,
        padding: Padding = .pkcs7,
        plainHeaderLength: Int64 = 0
    ) {
        self.mode = mode
        self.initialVector = initialVector
        self.initialCounter = initialCounter
        self.padding = padding
        self.plainHeaderLength = plainHeaderLength
    }
}
