// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

@Suite("Sealing")
struct SealerTests {
    private static func sealings() throws -> [(Sealing, Decryption)] {
        let key = try CipherKey(SecretBytes(CipherScene.key(32)))
        let vector = CipherScene.vector
        return [
            (.aesCTR(key), try .aes(AESFormat(.ctr), key: .key(key))),
            (
                .aesCTR(key, initialVector: Array(vector[..<12]), initialCounter: 1),
                try .aes(
                    AESFormat(.ctr, initialVector: .bytes(Array(vector[..<12])), initialCounter: 1),
                    key: .key(key)
                )
            ),
            (.aesCBC(key), try .aes(AESFormat(.cbc), key: .key(key))),
            (
                .aesCBC(key, initialVector: vector),
                try .aes(AESFormat(.cbc, initialVector: .bytes(vector)), key: .key(key))
            ),
            (.age([CipherScene.identity.recipient]), .age(.identities([CipherScene.identity]))),
        ]
    }

    @Test("gives bytes that decrypt to the plain file, in pieces of any size")
    func roundTrip() async throws {
        var generator = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        for length in [0, 1, 15, 16, 17, 65_535, 65_536, 65_537, 131_072, 200_000] {
            let plain = PatternBytes.bytes(in: 0..<Int64(length))
            for (sealing, decryption) in try Self.sealings() {
                var sealer = try Sealer(sealing)
                var stored = sealer.begin()
                var rest = plain[...]
                while !rest.isEmpty {
                    let piece = rest.prefix(Int.random(in: 1...90_000, using: &generator))
                    stored += try piece.withUnsafeBytes { try sealer.seal($0) }
                    rest = rest.dropFirst(piece.count)
                }
                stored += try sealer.finish()
                let source = CipherSource(
                    MemorySource(bytes: stored, validator: .revision("1")),
                    decryption: decryption,
                    for: KeyRequest(resource: "it")
                )
                let isSame = try await source.bytes() == plain
                #expect(isSame, "\(length), seed \(generator.seed)")
            }
        }
    }

    @Test("begins differently each time, except with a given vector")
    func random() throws {
        for (sealing, _) in try Self.sealings() {
            var isGiven = false
            if case .aesCTR(_, .some, _) = sealing { isGiven = true }
            if case .aesCBC(_, .some) = sealing { isGiven = true }
            let heads = try (0..<4).map { _ in try Sealer(sealing).begin() }
            #expect(Set(heads).count == (isGiven ? 1 : 4))
        }
    }

    @Test("refuses settings whose file could not be decrypted again")
    func refused() throws {
        let key = try CipherKey(SecretBytes(CipherScene.key(32)))
        let wrong: [Sealing] = [
            .aesCBC(key, initialVector: [1, 2, 3]), .aesCTR(key, initialVector: [1]), .age([]),
            .age([CipherScene.identity.recipient, .passphrase(SecretBytes(CipherScene.passphrase))]
            ),
        ]
        for sealing in wrong {
            let error = #expect(throws: CipherError.self) { try Sealer(sealing) }
            #expect(error?.code == .invalidSettings)
        }
    }
}
