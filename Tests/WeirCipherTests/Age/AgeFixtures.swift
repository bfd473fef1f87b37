// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

@testable import WeirCipher

/// Files that age 1.1.1 wrote, and identities that open them; both are only for these tests.
enum AgeFixtures {
    /// The plain text of the files.
    static let plaintext = "Weir plays media while it downloads.\n"

    static let firstIdentity =
        "AGE-SECRET-KEY-1C8VY442DR03L7V5PL2D40GNSGGMPFUXV58HEDQGGV4EGGQ0DHYHSY4VMAG"
    static let firstRecipient = "age1hqhjw28jkw5g34u6g598ufrdu4nsc5mt7kyuzmta9320gqstg44shkfcvd"
    static let secondIdentity =
        "AGE-SECRET-KEY-1PZKJ5JPF5QTF04F6Q6J43FRRLV74X60XERRTUH678ELQPLQZ2QWQAWVC5D"
    static let secondRecipient = "age1qhhf5ys2kx4fcddkse6xrateds34dt05vsdyhqamdxad3vwrsedstg9pe6"
    static let passphrase = "correct horse battery staple"

    /// A file for the first identity.
    static let oneRecipient = Self.decoded(
        """
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSAvMTJmUUhkVFVEZy9jamFEb0wzMHMyV1FzMUJVMjFhZHBIakY2QytC
        YkV3Cm9aQXhobDFYeGNiYlpHaTc3cGY2SGJDK2g1bG9XS1BJSk9rZDh6eHROVTQKLS0tIFVoQmVGaVpGTHU4NzQzRFJNUUs2
        aE5oWStHYllzUDVGYUR3eS9uSW9tcWsK4U8GoYAbvAEK4noH1Opsq7Dxrvl4cMU+chHMMnoTsZYulRNg8Zz5ehYMMav2ezm9
        TAUT2lGg+Nq1gI8jdMOE6mq2hc6b
        """
    )
    /// A file for the first identity, then the second.
    static let twoRecipients = Self.decoded(
        """
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSA2aVFJSmtVeWtIcy83Q01sU0wvbTJTNEhRRkdQQmR2VDVINjZ4Z09z
        NFM0CnNxdWZWamVCbGJ4dUFEbkZPTTNPenBWN0ZvR0h5a1ovY3RQRDN0dCszOHcKLT4gWDI1NTE5IHpqWktnVlQwMVB0bGlV
        NFkyblhPcnVKeE5TN2IwNWtJbVJadHJZUmZiM3MKekhpR284QmhVbVVDYWJsRFRwSnJ4RlhOSTVBOUx5bzZsVmtHY0ZTU2hu
        YwotLS0gMForM2FiV1JxcnVHUHJtSGEzbTdIdG9yMTBFNDJxTjRxeFA1cGhMZDVHawrVyU56t6JniAvPp+5qYOKoWw7Iw/cU
        1tPC2+xWAa/qYgpUd2TKveuCKN7gagS6lCgxM3oRdZcPImEFOxDwGHjS1kGIwxQ=
        """
    )
    /// A file for an SSH key, then the first identity.
    static let strangerFirst = Self.decoded(
        """
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNzaC1lZDI1NTE5IDNJbGYvdyA3dmdtOGY2KytMbDUwTlM4M3hYUE1CYlM0UE91
        b0dnT3FpU3BpUlVFMFhzCmY5L2RGVXJ1aHFDN1RRcHIxU1hLYzk3bCtOdnB3cE82ckNlQlowdkV0N0UKLT4gWDI1NTE5IGww
        Z2dmOGxXaTBqTUpKeDBNQXlUaEcxbzlQRG5KZHhlbEFDZlpxQ1dLd0UKOGFzNkxIOGlrWGxSeG1PY0M0VlB5aDY0THRDd3A2
        bWhFOEZ1c1RuT0ljWQotLS0gbGxiQkI3dElUNkVLZ2NKZkFXelpsMXZtSEhVUG43RU1mVE85VW9mZlpRWQqkR3o8YQcnVkks
        20hcwvXadWOneXJyCWlzEsKn44HmQ22ee0bMokmIffBryadbjxHPBev68Nier/lDISPbhF1JPI116SE=
        """
    )
    /// A file under the passphrase, with a work factor of 18.
    static let underPassphrase = Self.decoded(
        """
        YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCBPRVE1V1Z1ODhhbE82anovUkZxblpBIDE4CmQyck82T2RlMTFXY3F2
        Q2lGUHQwSE0zQU1xd1Q0RkZhWFRYK1dobWUrYXcKLS0tIDE0UXhDMWd1L3grZ1ZkMHpPZ3kweG1hQUxGTS8xZzFLU2FGaElv
        dm1lSlUKdzqaSxsq4tTOgWvDD5bmodZjHs/Py7yftAk+sfwIJ0wIrMumNh576Hjx3hww/ThwTC2dOZeKXiMdXLbLWmBs78ak
        99MW
        """
    )

    /// A file key of 16 bytes, which tests also use for other secrets of that length.
    static var fileKey: SecretBytes { SecretBytes(UInt8(1)...16) }

    /// A secret with this text.
    static func secret(_ text: String) -> SecretBytes { SecretBytes(text.utf8) }

    /// The bytes of a secret.
    static func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

    /// A header with these stanzas and an invalid authentication code.
    static func header(_ stanzas: String) -> [UInt8] {
        Array(
            "age-encryption.org/v1\n\(stanzas)--- \(String(repeating: "A", count: 43))\n".utf8
        )
    }

    /// Reads the header of a whole file, gets the file key, and decrypts the only chunk.
    static func plaintext(
        of file: [UInt8],
        with identities: [AgeIdentity]
    ) throws -> String? {
        guard let header = try AgeHeader.read(file) else { return nil }
        let fileKey = try header.fileKey(for: identities)
        let payload = file[header.length...]
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Self.bytes(fileKey)),
            salt: payload.prefix(16),
            info: Array("payload".utf8),
            outputByteCount: 32
        )
        let nonce = [UInt8](repeating: 0, count: 11) + [1]
        let box = try ChaChaPoly.SealedBox(combined: nonce + payload.dropFirst(16))
        return String(decoding: try ChaChaPoly.open(box, using: key), as: UTF8.self)
    }

    private static func decoded(_ text: String) -> [UInt8] {
        Array(Data(base64Encoded: text, options: .ignoreUnknownCharacters) ?? Data())
    }
}
