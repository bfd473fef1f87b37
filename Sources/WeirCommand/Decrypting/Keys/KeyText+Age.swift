// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher

extension KeyText {
    /// How a line of an identity file begins, or the whole of one that is encrypted; the parser says what is wrong with
    /// those that Weir does not know.
    private static let identityStarts = [
        "AGE-SECRET-KEY-", "AGE-PLUGIN-", "# public key:", "age-encryption.org/", "-----BEGIN AGE ",
    ]
    /// How public keys begin that are no passphrases.
    private static let publicKeys = ["ssh-ed25519 AAAA", "ssh-rsa AAAA", "-----BEGIN "]

    /// What opens an age file: the identities of an identity file, or a passphrase.
    ///
    /// - Throws: `CipherError` with `invalidKey` or `unsupported`.
    func identities() throws(CipherError) -> [AgeIdentity] {
        let isIdentityFile = self.bytes.withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: "\n")).contains { line in
                Self.identityStarts.contains { Self.starts(line, with: $0) }
            }
        }
        if isIdentityFile { return try AgeIdentity.parseFile(self.bytes) }
        let passphrase = try self.passphrase()
        let isSomethingElse = passphrase.withUnsafeBytes { bytes in
            Self.publicKeys.contains { Self.starts(bytes[...], with: $0) }
                || Self.isRecipient(bytes[...])
        }
        guard !isSomethingElse else {
            throw CipherError(
                .invalidKey,
                "\(self.place) holds neither an age identity (a line AGE-SECRET-KEY-1…, as age-keygen writes it) nor a"
                    + " passphrase; a public key, age1…, is for --recipient of weir seal."
            )
        }
        return [.passphrase(passphrase)]
    }

    /// Whom an age file is sealed for: the public keys of an identity file, or a passphrase.
    ///
    /// - Throws: `CipherError` with `invalidKey` or `unsupported`.
    func recipients() throws(CipherError) -> [AgeRecipient] {
        try self.identities().map(\.recipient)
    }

    /// Whether a text is a public key, or was one: `age1`, and then many letters and digits without a blank.
    private static func isRecipient(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        self.starts(text, with: "age1") && text.count >= 50 && text.allSatisfy { $0 > 0x20 }
    }

    /// Whether a text is an identity.
    static func isIdentity(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        self.starts(text, with: "AGE-SECRET-KEY-1")
    }

    /// Whether a line starts with a text, in capital letters or not.
    private static func starts(_ line: Slice<UnsafeRawBufferPointer>, with start: String) -> Bool {
        line.count >= start.utf8.count
            && zip(line, start.utf8).allSatisfy { self.lowered($0) == self.lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
