// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing
import WeirTestKit

@testable import WeirCipher

/// A cryptographic library that this build has: both libraries under `Scripts/stubs`, otherwise one of them.
struct LibraryCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let library: any CipherLibrary.Type

    static let all: [LibraryCase] = {
        var all: [LibraryCase] = []
        #if os(Linux)
        all.append(LibraryCase(testDescription: "CryptoExtras", library: CryptoExtrasLibrary.self))
        #endif
        #if canImport(CommonCrypto)
        all.append(LibraryCase(testDescription: "CommonCrypto", library: CommonCryptoLibrary.self))
        #endif
        return all
    }()

    /// Decrypts arrays.
    func decrypt(_ stored: [UInt8], _ mode: AESMode, key: [UInt8]) throws -> [UInt8] {
        try stored.withUnsafeBytes {
            Array(try self.library.decrypt($0, mode, key: SymmetricKey(data: key)))
        }
    }

    /// Encrypts an array.
    func encrypt(
        _ plain: [UInt8],
        vector: [UInt8],
        key: [UInt8],
        isPadded: Bool
    ) throws -> [UInt8] {
        try plain.withUnsafeBytes {
            Array(
                try self.library.encryptChained(
                    $0,
                    vector: vector,
                    key: SymmetricKey(data: key),
                    isPadded: isPadded
                )
            )
        }
    }

    /// Derives a key from a text.
    func pbkdf2(
        _ passphrase: String,
        _ salt: String,
        _ digest: KeyDerivation.Digest,
        _ iterations: Int,
        _ count: Int
    ) throws -> [UInt8] {
        try Array(passphrase.utf8).withUnsafeBytes {
            try self.library.pbkdf2(
                $0,
                salt: Array(salt.utf8),
                digest,
                iterations: iterations,
                count: count
            ).withUnsafeBytes { Array($0) }
        }
    }
}

@Suite("Each cryptographic library")
struct CipherLibraryTests {
    private static func mode(_ format: AESFormat) -> AESMode {
        guard case .bytes(let vector) = format.initialVector, format.mode != .ecb else {
            return .single
        }
        return format.mode == .ctr ? .counter(vector) : .chained(vector)
    }

    @Test(
        "decrypts the vectors of NIST SP 800-38A, whole and from each block on",
        arguments: LibraryCase.all,
        PublishedVectorTests.vectors
    )
    func decrypt(_ one: LibraryCase, _ vector: PublishedVectorTests.Vector) throws {
        let stored = Hex.bytes(vector.sealed)
        let plain = Hex.bytes(PublishedVectorTests.plain)
        let key = Hex.bytes(vector.key)
        let mode = Self.mode(vector.format)
        #expect(try one.decrypt(stored, mode, key: key) == plain)
        for block in 1..<4 {
            let later: AESMode
            switch mode {
            case .counter(let counter):
                let number = UInt128(bigEndianBytes: counter) &+ UInt128(block)
                later = .counter(number.bigEndianBytes)
            case .chained: later = .chained(Array(stored[(16 * block - 16)..<(16 * block)]))
            case .single: later = .single
            }
            let rest = try one.decrypt(Array(stored[(16 * block)...]), later, key: key)
            #expect(rest == Array(plain[(16 * block)...]), "from block \(block) on")
        }
        #expect(try one.decrypt([], mode, key: key).isEmpty)
    }

    @Test(
        "encrypts the vectors of chained blocks, with and without padding",
        arguments: LibraryCase.all,
        PublishedVectorTests.vectors.filter { $0.format.mode == .cbc }
    )
    func encrypt(_ one: LibraryCase, _ vector: PublishedVectorTests.Vector) throws {
        guard case .bytes(let start) = vector.format.initialVector else { return }
        let key = Hex.bytes(vector.key)
        let plain = Hex.bytes(PublishedVectorTests.plain)
        let sealed = Hex.bytes(vector.sealed)
        let whole = try one.encrypt(plain, vector: start, key: key, isPadded: false)
        #expect(whole == sealed)
        for count in 0...plain.count {
            let part = try one.encrypt(
                Array(plain[..<count]),
                vector: start,
                key: key,
                isPadded: true
            )
            #expect(part.count == (count / 16 + 1) * 16)
            let opened = try one.decrypt(part, .chained(start), key: key)
            let rest = UInt8(part.count - count)
            #expect(
                opened == Array(plain[..<count]) + Array(repeating: rest, count: Int(rest)),
                "\(count) bytes"
            )
        }
    }

    @Test("wraps from the highest counter to zero", arguments: LibraryCase.all)
    func counterWraps(_ one: LibraryCase) throws {
        let key = CipherScene.key(32)
        let zeros = [UInt8](repeating: 0, count: 48)
        let all = UInt128.max.bigEndianBytes
        let stream = try one.decrypt(zeros, .counter(all), key: key)
        let second = try one.decrypt(
            Array(zeros[..<32]),
            .counter(UInt128(0).bigEndianBytes),
            key: key
        )
        #expect(Array(stream[16...]) == second)
        // A run shorter than a block decrypts, too.
        #expect(try one.decrypt(Array(zeros[..<5]), .counter(all), key: key) == Array(stream[..<5]))
    }

    @Test(
        "derives the keys of RFC 6070 and RFC 7914",
        arguments: LibraryCase.all,
        [
            ("password", "salt", .sha1, 1, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
            ("password", "salt", .sha1, 2, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
            (
                "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", .sha1, 4096,
                "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
            ),
            ("pass\0word", "sa\0lt", .sha1, 4096, "56fa6aa75548099dcc37d7f03425e0c3"),
            (
                "passwd", "salt", .sha256, 1,
                "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783"
            ),
        ] as [(String, String, KeyDerivation.Digest, Int, String)]
    )
    func pbkdf2(
        _ one: LibraryCase,
        _ vector: (String, String, KeyDerivation.Digest, Int, String)
    ) throws {
        let key = Hex.bytes(vector.4)
        let derived = try one.pbkdf2(vector.0, vector.1, vector.2, vector.3, key.count)
        #expect(derived == key)
    }

    @Test("derives the same keys as Weir's PBKDF2, with each digest", arguments: LibraryCase.all)
    func digests(_ one: LibraryCase) throws {
        func ours<Function: HashFunction>(
            _ function: Function.Type,
            _ iterations: Int,
            _ count: Int
        ) -> [UInt8] {
            Array("correct horse".utf8).withUnsafeBytes {
                PBKDF2.key(
                    function,
                    $0,
                    salt: Array("salt".utf8),
                    iterations: iterations,
                    count: count
                ).withUnsafeBytes { Array($0) }
            }
        }
        for (iterations, count) in [(1, 1), (1, 64), (2, 65), (7, 48), (19, 200)] {
            for digest in KeyDerivation.Digest.allCases {
                let wanted =
                    switch digest {
                    case .md5: ours(Insecure.MD5.self, iterations, count)
                    case .sha1: ours(Insecure.SHA1.self, iterations, count)
                    case .sha256: ours(SHA256.self, iterations, count)
                    case .sha384: ours(SHA384.self, iterations, count)
                    case .sha512: ours(SHA512.self, iterations, count)
                    }
                let derived = try one.pbkdf2("correct horse", "salt", digest, iterations, count)
                #expect(derived == wanted, "\(digest), \(iterations) iterations, \(count) bytes")
            }
        }
    }

    @Test("derives the same scrypt key from a passphrase", arguments: LibraryCase.all)
    func scrypt(_ one: LibraryCase) throws {
        let derived = try Array("password".utf8).withUnsafeBytes {
            try one.library.scrypt(
                $0,
                salt: Array("NaCl".utf8),
                ScryptCost(rounds: 1024, blockSize: 8, parallelism: 16),
                count: 64
            )
        }
        #expect(derived.map(AgeFixtures.bytes) == Hex.bytes(ScryptTests.vectors[1].key))
    }
}
