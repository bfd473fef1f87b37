// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

/// The keys for sealing a file.
enum SealKey: Hashable, Sendable {
    /// A key, an identity or a passphrase in a file or a variable.
    case stored(KeyLocation)
    /// Public keys, `age1…`.
    case recipients([String])

    /// Reads the keys; without a vector, AES gets a random one.
    ///
    /// - Throws: ``CommandError`` or `CipherError`.
    func sealing(
        _ scheme: SealScheme,
        vector: [UInt8]?,
        counter: UInt64,
        _ keys: KeyReader
    ) throws -> Sealing {
        switch (scheme, self) {
        case (.age, .recipients(let texts)):
            return .age(try texts.map { try AgeRecipient(parsing: $0) })
        case (.age, .stored(let location)):
            return .age(try keys.text(location).recipients())
        case (.aesCTR, .stored(let location)):
            return .aesCTR(
                try keys.text(location).key(),
                initialVector: vector,
                initialCounter: counter
            )
        case (.aesCBC, .stored(let location)):
            return .aesCBC(try keys.text(location).key(), initialVector: vector)
        case (.aesCTR, .recipients), (.aesCBC, .recipients):
            throw ValidationError("--recipient is for age; AES needs --key-file or --key-env.")
        }
    }

    /// The options of `weir exec` that name the key for playback.
    var playing: String {
        switch self {
        case .stored(.file(let path)): "--key-file \(path.shellQuoted)"
        case .stored(.environment(let name)): "--key-env \(name)"
        case .recipients: "--key-file IDENTITY"
        }
    }
}

/// `--for aes-ctr|aes-cbc|age`: the format that `weir seal` writes.
enum SealScheme: String, CaseIterable, Hashable, Sendable, ExpressibleByArgument {
    case aesCTR = "aes-ctr"
    case aesCBC = "aes-cbc"
    case age

    /// The value of `--decrypt` for the format.
    var cipher: CipherScheme {
        switch self {
        case .aesCTR: .aesCTR
        case .aesCBC: .aesCBC
        case .age: .age
        }
    }

    /// The file extension of a sealed file.
    var fileExtension: String {
        self == .age ? "age" : "aes"
    }
}
