// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCipher

@Suite("Weir's scrypt")
struct ScryptTests {
    struct Vector: Sendable {
        let passphrase: String
        let salt: String
        let cost: ScryptCost
        let key: String
    }

    /// The vectors of RFC 7914 §12; the fourth needs a gibibyte.
    static let vectors = [
        Vector(
            passphrase: "",
            salt: "",
            cost: ScryptCost(rounds: 16, blockSize: 1, parallelism: 1),
            key:
                "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"
        ),
        Vector(
            passphrase: "password",
            salt: "NaCl",
            cost: ScryptCost(rounds: 1024, blockSize: 8, parallelism: 16),
            key:
                "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"
        ),
        Vector(
            passphrase: "pleaseletmein",
            salt: "SodiumChloride",
            cost: ScryptCost(rounds: 16384, blockSize: 8, parallelism: 1),
            key:
                "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887"
        ),
    ]

    private static func key(
        _ scrypt: Scrypt,
        _ passphrase: [UInt8],
        salt: [UInt8],
        count: Int
    ) -> [UInt8]? {
        passphrase.withUnsafeBytes { scrypt.key($0, salt: salt, count: count) }
            .map(AgeFixtures.bytes)
    }

    @Test("gives the keys of RFC 7914", arguments: vectors)
    func published(_ vector: Vector) {
        let key = Self.key(
            Scrypt(vector.cost),
            Array(vector.passphrase.utf8),
            salt: Array(vector.salt.utf8),
            count: 64
        )
        #expect(key == Hex.bytes(vector.key))
    }

    #if os(Linux)
    @Test("gives the keys of CryptoExtras, for 150 costs and passphrases")
    func sameAsCryptoExtras() throws {
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        func bytes(_ counts: ClosedRange<Int>) -> [UInt8] {
            (0..<Int.random(in: counts, using: &random)).map { _ in
                UInt8.random(in: .min ... .max, using: &random)
            }
        }
        for _ in 0..<150 {
            let cost = ScryptCost(
                rounds: 1 << Int.random(in: 1...7, using: &random),
                blockSize: Int.random(in: 1...9, using: &random),
                parallelism: Int.random(in: 1...4, using: &random)
            )
            let (passphrase, salt) = (bytes(1...80), bytes(1...40))
            let count = Int.random(in: 1...130, using: &random)
            let theirs = try passphrase.withUnsafeBytes {
                try CryptoExtrasLibrary.scrypt($0, salt: salt, cost, count: count)
            }
            let ours = Self.key(Scrypt(cost), passphrase, salt: salt, count: count)
            #expect(
                ours != nil && ours == theirs.map(AgeFixtures.bytes),
                "\(cost), seed \(random.seed)"
            )
        }
    }
    #endif

    @Test("takes no more memory than its limit, and refuses before any work")
    func memoryLimit() throws {
        let cost = ScryptCost(rounds: 64, blockSize: 8, parallelism: 2)
        // 64 blocks of 1 KiB, two blocks for mixing, and two blocks from the passphrase.
        let memory = try #require(cost.memory)
        #expect(memory == 68 * 1024)
        func key(_ limit: Int) -> [UInt8]? {
            Self.key(Scrypt(cost, memoryLimit: limit), [1], salt: [2], count: 32)
        }
        #expect(key(memory)?.count == 32)
        #expect(key(memory - 1) == nil)
        // This cost would take a year and a pebibyte.
        let endless = Scrypt(ScryptCost(rounds: 1 << 40))
        #expect(Self.key(endless, [1], salt: [2], count: 32) == nil)
        #expect(Scrypt.availableMemory > 0)
    }

    @Test(
        "refuses numbers outside scrypt's limits, and never traps",
        arguments: [
            ScryptCost(rounds: 0), ScryptCost(rounds: 1), ScryptCost(rounds: 3),
            ScryptCost(rounds: -2), ScryptCost(rounds: .min), ScryptCost(rounds: 1 << 62),
            ScryptCost(rounds: 4, blockSize: 0), ScryptCost(rounds: 4, blockSize: -1),
            ScryptCost(rounds: 4, blockSize: .max), ScryptCost(rounds: 4, parallelism: 0),
            ScryptCost(rounds: 4, parallelism: -3), ScryptCost(rounds: 4, parallelism: .max),
        ]
    )
    func refuses(_ cost: ScryptCost) {
        let scrypt = Scrypt(cost, memoryLimit: 1 << 20)
        #expect(Self.key(scrypt, [1], salt: [2], count: 32) == nil)
        #expect(Self.key(Scrypt(ScryptCost(rounds: 4)), [1], salt: [2], count: 0) == nil)
    }
}
