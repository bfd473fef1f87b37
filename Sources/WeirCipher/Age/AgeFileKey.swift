// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// How the 16 random bytes under which an age file is encrypted are wrapped for a recipient, and vouch for the header.
enum AgeFileKey {
    /// How many bytes a file key has.
    static let count = 16
    /// How many bytes it has when it is wrapped: the tag of Poly1305 is behind it.
    static let wrappedCount = 32

    /// Wraps a file key under a key that is used for nothing else, so that the nonce may be zeros.
    ///
    /// - Parameters:
    ///   - fileKey: 16 bytes.
    ///   - wrapKey: 256 bits.
    /// - Returns: 32 bytes.
    /// - Throws: What the cryptography throws, which it has no reason to.
    static func wrap(_ fileKey: SecretBytes, under wrapKey: SymmetricKey) throws -> [UInt8] {
        let box = try fileKey.withUnsafeBytes {
            try ChaChaPoly.seal($0, using: wrapKey, nonce: ChaChaPoly.Nonce(data: Self.zeros))
        }
        return Array(box.ciphertext + box.tag)
    }

    /// Takes a file key out again.
    ///
    /// - Parameters:
    ///   - wrapped: 32 bytes.
    ///   - wrapKey: 256 bits.
    /// - Returns: 16 bytes; `nil` if it was not wrapped under this key.
    static func unwrap(_ wrapped: [UInt8], under wrapKey: SymmetricKey) -> SecretBytes? {
        guard
            wrapped.count == Self.wrappedCount,
            let nonce = try? ChaChaPoly.Nonce(data: Self.zeros),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce,
                ciphertext: wrapped[..<Self.count],
                tag: wrapped[Self.count...]
            ),
            var opened = try? ChaChaPoly.open(box, using: wrapKey)
        else { return nil }
        return opened.withUnsafeMutableBytes { bytes in
            defer { SecretBytes.wipe(bytes) }
            return SecretBytes(bytes)
        }
    }

    /// The key under which a header is authenticated.
    ///
    /// - Parameter fileKey: 16 bytes.
    /// - Returns: 256 bits.
    static func headerKey(of fileKey: SecretBytes) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fileKey.withUnsafeBytes { SymmetricKey(data: $0) },
            salt: [UInt8](),
            info: Array("header".utf8),
            outputByteCount: 32
        )
    }

    private static let zeros = [UInt8](repeating: 0, count: 12)
}
