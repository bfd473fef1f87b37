// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import CommonCrypto
import Crypto
import Testing
import WeirTestKit

@testable import WeirCipher

/// The stub records every call that Apple's documentation does not allow.
@Suite("The calls of CommonCrypto")
struct CommonCryptoTests {
    private static let theirs = LibraryCase(
        testDescription: "CryptoExtras",
        library: CryptoExtrasLibrary.self
    )
    private static let ours = LibraryCase(
        testDescription: "CommonCrypto",
        library: CommonCryptoLibrary.self
    )

    @Test(
        "keep the documented contract, release their objects, and give the bytes of CryptoExtras"
    )
    func sameAsCryptoExtras() throws {
        var random = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        func bytes(_ count: Int) -> [UInt8] {
            (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        }
        let system = StubCryptoSystem()
        try StubCryptoSystem.$current.withValue(system) {
            for _ in 0..<200 {
                let key = bytes([16, 24, 32][Int.random(in: 0..<3, using: &random)])
                let (start, count) = (bytes(16), Int.random(in: 0...100, using: &random))
                let (text, blocks) = (bytes(count), bytes(count / 16 * 16))
                for (mode, stored) in [
                    (AESMode.counter(start), text), (.chained(start), blocks), (.single, blocks),
                ] {
                    let plain = try Self.ours.decrypt(stored, mode, key: key)
                    let isSame = try plain == Self.theirs.decrypt(stored, mode, key: key)
                    #expect(isSame, "\(mode), seed \(random.seed)")
                }
                for (plain, isPadded) in [(text, true), (blocks, true), (blocks, false)] {
                    let sealed = try Self.ours.encrypt(
                        plain,
                        vector: start,
                        key: key,
                        isPadded: isPadded
                    )
                    let isSame =
                        try sealed
                        == Self.theirs.encrypt(plain, vector: start, key: key, isPadded: isPadded)
                    #expect(isSame, "\(plain.count) bytes, seed \(random.seed)")
                }
            }
        }
        #expect(system.violations == [])
        #expect(system.living == 0)
        #expect(system.made > 900)
    }

    @Test("release the cryptor of a failed call, too")
    func failure() {
        let system = StubCryptoSystem()
        StubCryptoSystem.$current.withValue(system) {
            // The input is not a whole number of blocks; callers normally check this first.
            #expect(throws: CipherError.self) {
                try Self.ours.decrypt(
                    [1, 2, 3],
                    .chained(CipherScene.vector),
                    key: CipherScene.key(16)
                )
            }
            #expect(throws: CipherError.self) {
                try Self.ours.decrypt([1, 2, 3], .counter(CipherScene.vector), key: [1, 2, 3])
            }
        }
        #expect(system.living == 0)
        #expect(system.violations == ["a key of 3 bytes"])
    }

    @Test("of a wrong kind are detected by the stub")
    func contract() {
        let system = StubCryptoSystem()
        StubCryptoSystem.$current.withValue(system) {
            var bytes = [UInt8](repeating: 0, count: 64)
            var moved = 0
            func made(_ keyLength: Int, _ options: CCModeOptions = 0) -> CCCryptorRef? {
                var cryptor: CCCryptorRef?
                let key = [UInt8](repeating: 0, count: keyLength)
                _ = CCCryptorCreateWithMode(
                    CCOperation(kCCEncrypt),
                    CCMode(kCCModeCBC),
                    CCAlgorithm(kCCAlgorithmAES),
                    CCPadding(ccNoPadding),
                    key,
                    key,
                    keyLength,
                    nil,
                    0,
                    0,
                    options,
                    &cryptor
                )
                return cryptor
            }
            #expect(made(17) == nil)
            #expect(made(16, 2) == nil)
            let first = made(16)
            #expect(CCCryptorUpdate(first, bytes, 32, &bytes, 31, &moved) == kCCBufferTooSmall)
            #expect(CCCryptorUpdate(first, bytes, 32, &bytes, 32, &moved) == kCCSuccess)
            #expect(moved == 32)
            #expect(CCCryptorUpdate(first, bytes, 3, &bytes, 32, &moved) == kCCSuccess)
            #expect(moved == 0)
            #expect(CCCryptorFinal(first, &bytes, 64, &moved) == kCCAlignmentError)
            #expect(CCCryptorUpdate(first, bytes, 16, &bytes, 64, &moved) == kCCCallSequenceError)
            #expect(CCCryptorRelease(first) == kCCSuccess)
            #expect(CCCryptorUpdate(first, bytes, 16, &bytes, 64, &moved) == kCCParamError)
            #expect(CCCryptorRelease(first) == kCCParamError)
            #expect(system.living == 0)
            for _ in 0..<65 { _ = made(16) }
            #expect(
                CCKeyDerivationPBKDF(CCPBKDFAlgorithm(kCCPBKDF2), nil, 0, bytes, 1, 3, 1, &bytes, 1)
                    == kCCParamError
            )
            #expect(
                CCKeyDerivationPBKDF(CCPBKDFAlgorithm(kCCPBKDF2), [0], 0, bytes, 1, 3, 0, &bytes, 1)
                    == kCCParamError
            )
        }
        #expect(system.living == 65)
        #expect(system.violations.count == 10)
    }
}
#endif
