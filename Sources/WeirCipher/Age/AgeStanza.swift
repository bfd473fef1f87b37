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
    /// The number of characters in a line of the body; only the last line has fewer.
    static let lineLength = 64

    /// The arguments: printable, without spaces, at least one; the first is the kind of recipient.
    var arguments: [String]
    /// The decoded bytes of the base64 body.
    var body: [UInt8]
    /// The position of the stanza in the file.
    var offset: Int64 = 0

    /// The stanza in the form of a file, with the line feed at its end.
    var bytes: [UInt8] {
        var bytes = Array("-> \(self.arguments.joined(separator: " "))\n".utf8)
        var rest = [UInt8](base64Of: self.body)[...]
        while rest.count >= Self.lineLength {
            bytes.append(contentsOf: rest.prefix(Self.lineLength) + [UInt8(ascii: "\n")])
            rest = rest.dropFirst(Self.lineLength)
        }
        // Also for an empty rest: an empty line ends a body of full lines.
        bytes.append(contentsOf: rest + [UInt8(ascii: "\n")])
        return bytes
    }

    /// The bytes of an argument in base64.
    ///
    /// - Parameters:
    ///   - index: the index of the argument, which must exist.
    ///   - count: the required number of bytes.
    /// - Returns: The bytes.
    /// - Throws: ``CipherError`` with `damaged`.
    func bytes(ofArgument index: Int, count: Int) throws(CipherError) -> [UInt8] {
        guard
            let bytes = [UInt8](decodingBase64: self.arguments[index].utf8), bytes.count == count
        else {
            throw self.damage("argument \(index + 1) does not decode to \(count) bytes")
        }
        return bytes
    }

    /// The body, which holds a wrapped file key.
    ///
    /// - Returns: 32 bytes; a wrapped key of another length could open with more than one key.
    /// - Throws: ``CipherError`` with `damaged`.
    func wrappedFileKey() throws(CipherError) -> [UInt8] {
        guard self.body.count == Self.wrappedKeyCount else {
            throw self.damage("its body is not \(Self.wrappedKeyCount) bytes")
        }
        return self.body
    }

    /// The error for a stanza that breaks the rules of its kind.
    ///
    /// - Parameter reason: the broken rule.
    /// - Returns: The error.
    func damage(_ reason: String) -> CipherError {
        CipherError(
            .damaged,
            "The header of the age file is damaged: a recipient's part at byte \(self.offset) is malformed, because "
                + "\(reason); fetch the file again, or encrypt it again.",
            offset: self.offset
        )
    }
}

extension AgeStanza {
    /// The size of a file key in bytes; an age file is encrypted under these random bytes.
    static let fileKeyCount = 16
    /// The size of a wrapped file key in bytes, with the tag of Poly1305.
    static let wrappedKeyCount = 32
    private static let zeros = [UInt8](repeating: 0, count: 12)

    /// Wraps a file key under a single-use key, so that the nonce may be zeros.
    ///
    /// - Parameters:
    ///   - fileKey: the file key of 16 bytes.
    ///   - wrapKey: a key of 256 bits.
    /// - Returns: 32 bytes.
    /// - Throws: the errors of the cryptographic library, which are not expected.
    static func wrap(_ fileKey: SecretBytes, under wrapKey: SymmetricKey) throws -> [UInt8] {
        let box = try fileKey.withUnsafeBytes {
            try ChaChaPoly.seal($0, using: wrapKey, nonce: ChaChaPoly.Nonce(data: Self.zeros))
        }
        return Array(box.ciphertext + box.tag)
    }

    /// Unwraps a file key.
    ///
    /// - Parameters:
    ///   - wrapped: 32 bytes.
    ///   - wrapKey: a key of 256 bits.
    /// - Returns: the file key of 16 bytes; `nil` if it was not wrapped under this key.
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
