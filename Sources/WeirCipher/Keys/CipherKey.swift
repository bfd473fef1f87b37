// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto

/// An AES key of 128, 192 or 256 bits; wiped when its last copy has gone, and shown by no text.
public struct CipherKey: Sendable {
    let symmetric: SymmetricKey

    init(_ symmetric: SymmetricKey) {
        self.symmetric = symmetric
    }

    /// A key by its bytes.
    ///
    /// - Parameter bytes: 16, 24 or 32.
    /// - Throws: ``CipherError`` with `invalidKey`.
    public init(_ bytes: SecretBytes) throws(CipherError) {
        guard [16, 24, 32].contains(bytes.count) else {
            throw CipherError(
                .invalidKey,
                "An AES key has 16, 24 or 32 bytes, and this one has \(bytes.count); check where it comes from."
            )
        }
        self.symmetric = bytes.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    /// How many bytes the key has.
    public var count: Int { self.symmetric.bitCount / 8 }
}

extension CipherKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, and nothing of its bytes.
    public var description: String { "an AES key of \(self.symmetric.bitCount) bits" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
