// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

/// Whom something is sealed for.
enum SealKey: Hashable, Sendable {
    /// Who has the key, the identity or the passphrase that is there.
    case place(KeyLocation)
    /// Who has the secret keys of these public ones, `age1…`.
    case recipients([String])

    /// Reads it.
    ///
    /// - Parameters:
    ///   - scheme: how is sealed.
    ///   - vector: the vector of AES; `nil` for one that is made.
    ///   - counter: what CTR begins to count from.
    ///   - keys: reads keys.
    /// - Returns: how is sealed, with the keys.
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
        case (.age, .place(let place)):
            return .age(try keys.text(place).recipients())
        case (.aesCTR, .place(let place)):
            return .aesCTR(
                try keys.text(place).key(),
                initialVector: vector,
                initialCounter: counter
            )
        case (.aesCBC, .place(let place)):
            return .aesCBC(try keys.text(place).key(), initialVector: vector)
        case (.aesCTR, .recipients), (.aesCBC, .recipients):
            throw ValidationError("--recipient is for age; AES needs --key-file or --key-env.")
        }
    }

    /// How who plays it names the key: options of `weir exec`.
    var playing: String {
        switch self {
        case .place(.file(let path)): "--key-file \(path.shellQuoted)"
        case .place(.environment(let name)): "--key-env \(name)"
        case .recipients: "--key-file IDENTITY"
        }
    }
}

/// `--for aes-ctr|aes-cbc|age`: what `weir seal` writes.
enum SealScheme: String, CaseIterable, Hashable, Sendable, ExpressibleByArgument {
    case aesCTR = "aes-ctr"
    case aesCBC = "aes-cbc"
    case age

    /// The same as a player names it.
    var cipher: CipherScheme {
        switch self {
        case .aesCTR: .aesCTR
        case .aesCBC: .aesCBC
        case .age: .age
        }
    }

    /// What is put behind the name of a sealed file.
    var fileExtension: String {
        self == .age ? "age" : "aes"
    }
}
