// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

/// Keys that `openssl enc -aes-256-cbc -S 0102030405060708 -pass pass:'correct horse' -P` prints for each `-md`,
/// without and with `-pbkdf2 -iter 7`.
@Suite("A key that openssl enc makes of a passphrase")
struct KeyDerivationTests {
    private static let passphrase = SecretBytes("correct horse".utf8)
    private static let prefix = Array("Salted__".utf8) + [1, 2, 3, 4, 5, 6, 7, 8]

    @Test(
        "is derived with each digest as openssl derives it",
        arguments: [
            (
                .bytesToKey(.md5),
                "bcf8d941d9291141709c9d56360eb7148e3960ab3dc44d832c4028568545c91d",
                "5a7a1d12207f801d2f6f4cf578e8708c"
            ),
            (
                .bytesToKey(.sha1),
                "352644bbf67310c29d04ee4448d1189a5dea2916c094f4ba4bf5f32af3b785a1",
                "3a6cb396ee267da06b13894321ea501b"
            ),
            (
                .bytesToKey(.sha256),
                "085b2ae493df8814345b7b91e439daa3ef6692712af5aef7f55f853e427aca30",
                "1438eed66ccd26d7839cc92eb57e91f7"
            ),
            (
                .bytesToKey(.sha384),
                "1e27c46dad26adefea3e4d734e43828af957a826ca08c207559a0b4f680da545",
                "80a8abbcdb31781c6c491b3647ac169f"
            ),
            (
                .bytesToKey(.sha512),
                "82039b3891c3582aa0239b85bff8fdc8335832f75382df93a23f1de9c1ab486f",
                "def84f466c7e03910f32e6363735b961"
            ),
            (
                .pbkdf2(iterations: 7, .md5),
                "6e12bc2127d79971dc435b92d5cb63412c1578e8a1b25b65bdc976aebafd3bf6",
                "54001fd83fa8b019f79c55e165de911c"
            ),
            (
                .pbkdf2(iterations: 7, .sha1),
                "30b48821eeafad0effaab9060611d5a9ea5575d7fc96037bdb1906a6dcfc2e8b",
                "320edb61b6f62a69cdcd0a2dcdf51650"
            ),
            (
                .pbkdf2(iterations: 7, .sha256),
                "607a7bf5a6b5c6b975324fcf9818334d91c5368bdc3cef4b57349eaf2d78e454",
                "e0ce5a6d59c41c7f7c5940c0933b63a4"
            ),
            (
                .pbkdf2(iterations: 7, .sha384),
                "52ecc1c1bc1c0885b1a9bd43ffa9694802f199f39ff645761a2c9d7ec987adfc",
                "adb4c2dd4139b122e0a4d15346b40949"
            ),
            (
                .pbkdf2(iterations: 7, .sha512),
                "088965e645f033e683035312e808d9fbe2dae07876887a87652726143bf48769",
                "f991bcbdb163b0752bbbc90c984700f7"
            ),
        ] as [(KeyDerivation, String, String)]
    )
    func vectors(_ derivation: KeyDerivation, _ key: String, _ vector: String) throws {
        let material = try derivation.material(Self.passphrase, prefix: Self.prefix, keyLength: 32)
        let bytes = material.key.symmetric.withUnsafeBytes { [UInt8]($0) }
        #expect(bytes == Hex.bytes(key))
        #expect(material.initialVector == Hex.bytes(vector))
    }

    @Test(
        "with another derivation than the file's opens nothing, and the error lists possible causes"
    )
    func wrongDigest() async throws {
        // The output of `printf weir | openssl enc -aes-256-cbc -S 0102030405060708 -md md5 …`. With `-S`, OpenSSL 3
        // writes no prefix, so the test adds it.
        let stored = Self.prefix + Hex.bytes("94525c8e3df4ac7b7c091029108f2232")
        func source(_ derivation: KeyDerivation) throws -> CipherSource {
            CipherSource(
                MemorySource(bytes: stored),
                decryption: try .aes(
                    AESFormat(.cbc, initialVector: .fromKey),
                    key: .passphrase(Self.passphrase, derivation)
                ),
                for: KeyRequest(resource: "it")
            )
        }
        #expect(try await source(.bytesToKey(.md5)).describe().length == 4)
        for derivation in [KeyDerivation.bytesToKey(.sha256), .pbkdf2(iterations: 1, .md5)] {
            let wrong = try source(derivation)
            let error = await #expect(throws: SourceError.self) { _ = try await wrong.describe() }
            #expect(error?.code == .wrongKey)
            for part in ["passphrase", "-md", "MD5", "PBKDF2"] {
                #expect(error?.message.contains(part) == true)
            }
        }
    }
}
