// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A part of an age header: the file key, wrapped for one recipient.
///
///     -> X25519 O6DLx/wDIawpUC978NSPjYvrfDtJVnZApXKp4FMPHCY     arguments
///     3aKjozt9agh7jGmvOKvR4iax41Wl4zj95MKK4X9JuWc               body, in lines of 64 characters and a shorter one
struct AgeStanza: Equatable {
    /// How many characters a line of the body has, except the last one, which has fewer.
    static let lineLength = 64

    /// Printable and without spaces; at least one, and the first says what kind of recipient it is.
    var arguments: [String]
    /// What the base64 behind them spells.
    var body: [UInt8]
    /// Where in the file it starts.
    var offset: Int64 = 0

    /// As it stands in a file, with the line feed at its end.
    var bytes: [UInt8] {
        var bytes = Array("-> \(self.arguments.joined(separator: " "))\n".utf8)
        var rest = [UInt8](base64Of: self.body)[...]
        while rest.count >= Self.lineLength {
            bytes.append(contentsOf: rest.prefix(Self.lineLength) + [UInt8(ascii: "\n")])
            rest = rest.dropFirst(Self.lineLength)
        }
        // Also when nothing is left: an empty line says that a body of full lines has ended.
        bytes.append(contentsOf: rest + [UInt8(ascii: "\n")])
        return bytes
    }

    /// The bytes that an argument spells in base64.
    ///
    /// - Parameters:
    ///   - index: which argument; there must be one.
    ///   - count: how many bytes it has to spell.
    /// - Returns: The bytes.
    /// - Throws: ``CipherError`` with `damaged`.
    func bytes(ofArgument index: Int, count: Int) throws(CipherError) -> [UInt8] {
        guard
            let bytes = [UInt8](decodingBase64: self.arguments[index].utf8), bytes.count == count
        else {
            throw self.damage("argument \(index + 1) does not spell \(count) bytes")
        }
        return bytes
    }

    /// The body, which holds a wrapped file key.
    ///
    /// - Returns: 32 bytes; a wrapped key of any other length could open with more than one key.
    /// - Throws: ``CipherError`` with `damaged`.
    func wrappedFileKey() throws(CipherError) -> [UInt8] {
        guard self.body.count == Self.wrappedKeyCount else {
            throw self.damage("its body is not \(Self.wrappedKeyCount) bytes")
        }
        return self.body
    }

    /// Says that the stanza breaks the rules of its kind.
    ///
    /// - Parameter reason: how.
    /// - Returns: The error.
    func damage(_ reason: String) -> CipherError {
        CipherError(
            .damaged,
            "The header of the age file is damaged: a recipient's part at byte \(self.offset) is malformed, as "
                + "\(reason); fetch the file again, or encrypt it anew.",
            offset: self.offset
        )
    }
}

extension AgeStanza {
    /// How many bytes a file key has: the random bytes under which an age file is encrypted.
    static let fileKeyCount = 16
    /// How many bytes it has when it is wrapped: the tag of Poly1305 is behind it.
    static let wrappedKeyCount = 32
    private static let zeros = [UInt8](repeating: 0, count: 12)

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
            wrapped.count == Self.wrappedKeyCount,
            let nonce = try? ChaChaPoly.Nonce(data: Self.zeros),
            let box = try? ChaChaPoly.SealedBox(
                nonce: nonce,
                ciphertext: wrapped[..<Self.fileKeyCount],
                tag: wrapped[Self.fileKeyCount...]
            ),
            var opened = try? ChaChaPoly.open(box, using: wrapKey)
        else { return nil }
        return opened.withUnsafeMutableBytes { bytes in
            defer { SecretBytes.wipe(bytes) }
            return SecretBytes(bytes)
        }
    }
}
