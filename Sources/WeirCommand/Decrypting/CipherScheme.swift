// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

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

    /// What else can be said of it, beside where the key is.
    var choices: [CipherChoices.Key] {
        switch self {
        case .aesCTR: [.initialVector, .counter, .plainHeader, .derivation, .keyBits]
        case .aesCBC: [.initialVector, .plainHeader, .padding, .derivation, .keyBits]
        case .aesECB: [.plainHeader, .padding, .derivation, .keyBits]
        case .age: []
        }
    }

    /// All of them, for a sentence.
    static let list = Self.allCases.map(\.rawValue).joined(separator: ", ")
}
