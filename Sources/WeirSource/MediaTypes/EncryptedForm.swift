// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A form of encrypted files that their first bytes show.
package enum EncryptedForm: Hashable, Sendable, CaseIterable {
    /// A file of age, version 1, in its binary form.
    case age
    /// A file of `openssl enc` with a passphrase: a salt stands before the ciphertext.
    case openSSL

    /// Looks at the first bytes; `nil` where they are of none of these.
    init?(of head: UnsafeRawBufferPointer) {
        let window = ByteWindow(head)
        guard let form = Self.allCases.first(where: { window.has($0.beginning) }) else {
            return nil
        }
        self = form
    }

    private var beginning: [UInt8] {
        switch self {
        case .age: Array("age-encryption.org/v1\n".utf8)
        case .openSSL: Array("Salted__".utf8)
        }
    }
}
