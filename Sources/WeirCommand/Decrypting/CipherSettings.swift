// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

/// The settings of a decryption, with the location of the key instead of the key.
struct CipherSettings: Hashable, Sendable {
    enum Format: Hashable, Sendable {
        case aes(AESFormat)
        /// AES with a passphrase, from which a key of `keyLength` bytes is derived.
        case openssl(AESFormat, KeyDerivation, keyLength: Int)
        case age
    }

    var key: KeyLocation
    var format: Format

    /// Reads the key.
    ///
    /// - Throws: ``CommandError`` if the key cannot be read, `CipherError` if it is not valid.
    func decryption(_ keys: KeyReader) throws -> Decryption {
        let text = try keys.text(self.key)
        switch self.format {
        case .age: return .age(.identities(try text.identities()))
        case .aes(let format): return try .aes(format, key: .key(text.key()))
        case .openssl(let format, let derivation, let keyLength):
            return try .aes(
                format,
                key: .passphrase(text.opensslPassphrase(), derivation, keyLength: keyLength)
            )
        }
    }
}

/// `--decrypt aes-ctr|aes-cbc|aes-ecb|age`.
enum CipherScheme: String, CaseIterable, Hashable, Sendable, ExpressibleByArgument {
    case aesCTR = "aes-ctr"
    case aesCBC = "aes-cbc"
    case aesECB = "aes-ecb"
    case age

    /// The mode of AES; `nil` for age.
    var mode: AESFormat.Mode? {
        switch self {
        case .aesCTR: .ctr
        case .aesCBC: .cbc
        case .aesECB: .ecb
        case .age: nil
        }
    }

    /// The other choices of the format, besides the location of the key.
    var choices: [CipherChoices.Key] {
        switch self {
        case .aesCTR: [.initialVector, .counter, .plainHeader, .derivation, .keyBits]
        case .aesCBC: [.initialVector, .plainHeader, .padding, .derivation, .keyBits]
        case .aesECB: [.plainHeader, .padding, .derivation, .keyBits]
        case .age: []
        }
    }

    /// All formats, as a text for a sentence.
    static let list = Self.allCases.map(\.rawValue).joined(separator: ", ")
}
