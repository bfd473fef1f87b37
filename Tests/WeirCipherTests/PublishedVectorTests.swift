// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

/// NIST SP 800-38A, appendix F: the same four blocks in each mode, with keys of each length.
@Suite("The vectors of NIST SP 800-38A")
struct PublishedVectorTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let format: AESFormat
        let key: String
        let sealed: String
    }

    static let plain = """
        6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51        30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710
        """
    private static let key128 = "2b7e151628aed2a6abf7158809cf4f3c"
    private static let key192 = "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b"
    private static let key256 = "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"
    private static let vector = InitialVector.bytes((0..<16).map { UInt8($0) })
    private static let counter = InitialVector.bytes((0..<16).map { UInt8(0xF0 + $0) })

    private static let ecb = AESFormat(.ecb, padding: .none)
    private static let cbc = AESFormat(.cbc, initialVector: vector, padding: .none)
    private static let ctr = AESFormat(.ctr, initialVector: counter)

    static let vectors: [Vector] = [
        Vector(
            testDescription: "F.1.2 ECB, 128 bits",
            format: ecb,
            key: key128,
            sealed:
                "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
        ),
        Vector(
            testDescription: "F.1.4 ECB, 192 bits",
            format: ecb,
            key: key192,
            sealed:
                "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eefef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e"
        ),
        Vector(
            testDescription: "F.1.6 ECB, 256 bits",
            format: ecb,
            key: key256,
            sealed:
                "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7"
        ),
        Vector(
            testDescription: "F.2.2 CBC, 128 bits",
            format: cbc,
            key: key128,
            sealed:
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b273bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
        ),
        Vector(
            testDescription: "F.2.4 CBC, 192 bits",
            format: cbc,
            key: key192,
            sealed:
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd"
        ),
        Vector(
            testDescription: "F.2.6 CBC, 256 bits",
            format: cbc,
            key: key256,
            sealed:
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b"
        ),
        Vector(
            testDescription: "F.5.2 CTR, 128 bits",
            format: ctr,
            key: key128,
            sealed:
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
        ),
        Vector(
            testDescription: "F.5.4 CTR, 192 bits",
            format: ctr,
            key: key192,
            sealed:
                "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e941e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050"
        ),
        Vector(
            testDescription: "F.5.6 CTR, 256 bits",
            format: ctr,
            key: key256,
            sealed:
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c52b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6"
        ),
    ]

    @Test("are decrypted as printed, whole and in every range", arguments: vectors)
    func decrypt(_ vector: Vector) async throws {
        let plain = Hex.bytes(Self.plain)
        let source = CipherSource(
            MemorySource(bytes: Hex.bytes(vector.sealed), validator: .revision("1"), chunkSize: 11),
            decryption: try .aes(
                vector.format,
                key: .key(CipherKey(SecretBytes(Hex.bytes(vector.key))))
            ),
            for: KeyRequest(resource: "a vector")
        )
        for lower in 0..<plain.count {
            for upper in (lower + 1)...plain.count {
                let bytes = try await source.bytes(.span(Int64(lower)..<Int64(upper)))
                let isRight = bytes == Array(plain[lower..<upper])
                #expect(isRight, "\(lower)..<\(upper)")
            }
        }
    }

    @Test("are the result of sealing", arguments: vectors.filter { $0.format.mode != .ecb })
    func seal(_ vector: Vector) throws {
        guard case .bytes(let start) = vector.format.initialVector else { return }
        let key = try CipherKey(SecretBytes(Hex.bytes(vector.key)))
        var sealer = try Sealer(
            vector.format.mode == .ctr
                ? .aesCTR(key, initialVector: start) : .aesCBC(key, initialVector: start)
        )
        var sealed = sealer.begin()
        for byte in Hex.bytes(Self.plain) {
            sealed += try [byte].withUnsafeBytes { try sealer.seal($0) }
        }
        sealed += try sealer.finish()
        // CBC ends with a block of padding that the vectors do not have.
        #expect(sealed.prefix(64).elementsEqual(Hex.bytes(vector.sealed)))
        #expect(sealed.count == (vector.format.mode == .ctr ? 64 : 80))
    }
}
