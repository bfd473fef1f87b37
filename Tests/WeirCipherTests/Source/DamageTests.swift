// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

@Suite("A file that was changed after its writing")
struct DamageTests {
    private static let plain = PatternBytes.bytes(in: 0..<200_000)

    private static func age(_ stored: [UInt8]) -> CipherSource {
        CipherSource(
            MemorySource(bytes: stored, validator: .revision("1"), chunkSize: 20_000),
            decryption: .age(.identities([CipherScene.identity])),
            for: KeyRequest(resource: "it")
        )
    }

    /// Reads until an error; every byte before the error must be right.
    private static func read(_ source: CipherSource) async -> (count: Int, code: SourceError.Code?)
    {
        var count = 0
        do {
            for try await chunk in try await source.read(.whole) {
                let bytes = try chunk.bytes()
                guard bytes == Array(plain[count..<(count + bytes.count)]) else {
                    Issue.record("a wrong byte came out, in \(chunk.range)")
                    return (count, nil)
                }
                count += bytes.count
            }
            return (count, nil)
        } catch { return (count, (error as? SourceError)?.code) }
    }

    private static func expect(
        _ source: CipherSource,
        _ count: Int,
        _ code: SourceError.Code
    ) async throws {
        let outcome = await Self.read(source)
        #expect(outcome.count == count)
        #expect(outcome.code == code)
    }

    @Test(
        "in age: a flipped bit in each region is detected before a byte of its chunk is handed out"
    )
    func flippedBits() async throws {
        let stored = try CipherScene.all.last!.stored(Self.plain)
        let header = stored.count - 200_000 - 4 * 16 - 16
        let first = header + 16
        // The header, the nonce, and the first, a middle and the last chunk with their tags.
        let places: [(offset: Int, plain: Int)] = [
            (3, 0), (25, 0), (header / 2, 0), (header - 2, 0), (header, 0), (header + 15, 0),
            (first, 0), (first + 30_000, 0), (first + 65_551, 0),
            (first + 2 * 65_552, 131_072), (first + 3 * 65_552 - 1, 131_072),
            (first + 3 * 65_552, 0), (stored.count - 17, 0), (stored.count - 1, 0),
        ]
        for (offset, plain) in places {
            for bit in [0, 3, 7] {
                var flipped = stored
                flipped[offset] ^= 1 << bit
                let (count, code) = await Self.read(Self.age(flipped))
                #expect(count == plain, "offset \(offset), bit \(bit)")
                #expect(code.map { [.damaged, .wrongKey, .notMedia].contains($0) } == true)
            }
        }
    }

    @Test("in age: a cut file is detected when it is opened, wherever the cut is")
    func cutOff() async throws {
        let stored = try CipherScene.all.last!.stored(Self.plain)
        var generator = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        let first = stored.count - 200_000 - 4 * 16
        let edges = [0, 1, 20, first - 16, first - 1, first, first + 16, first + 17]
        let chunks = (1...3).flatMap { [first + $0 * 65_552, first + $0 * 65_552 + 16] }
        let others = (0..<30).map { _ in Int.random(in: 0..<stored.count, using: &generator) }
        for length in edges + chunks + others + [stored.count - 1] {
            let (count, code) = await Self.read(Self.age(Array(stored[..<length])))
            #expect(count == 0 && code != nil, "\(length), seed \(generator.seed)")
        }
    }

    @Test("in age: swapped and repeated chunks are detected")
    func order() async throws {
        let stored = try CipherScene.all.last!.stored(Self.plain)
        let first = stored.count - 200_000 - 4 * 16
        let (one, two) = (first..<(first + 65_552), (first + 65_552)..<(first + 2 * 65_552))
        let swapped = stored[..<first] + stored[two] + stored[one] + stored[two.upperBound...]
        let twice = stored[..<two.lowerBound] + stored[one] + stored[two.upperBound...]
        try await Self.expect(Self.age(Array(swapped)), 0, .damaged)
        try await Self.expect(Self.age(Array(twice)), 65_536, .damaged)
    }

    @Test("a wrong identity opens nothing, and the padding of CBC and ECB shows a wrong key")
    func wrongKey() async throws {
        let other = try AgeIdentity(
            parsing: "AGE-SECRET-KEY-1PZKJ5JPF5QTF04F6Q6J43FRRLV74X60XERRTUH678ELQPLQZ2QWQAWVC5D"
        )
        let stored = try CipherScene.all.last!.stored(Self.plain)
        let source = CipherSource(
            MemorySource(bytes: stored),
            decryption: .age(.identities([other])),
            for: KeyRequest(resource: "it")
        )
        try await Self.expect(source, 0, .wrongKey)
        for mode in [AESFormat.Mode.cbc, .ecb] {
            let format = AESFormat(mode, initialVector: .bytes(CipherScene.vector))
            let scene = CipherScene("", .aes(format, keyLength: 16))
            let source = CipherSource(
                MemorySource(bytes: try scene.stored(Self.plain)),
                decryption: try .aes(format, key: .key(CipherKey(SecretBytes(Array(0..<16))))),
                for: KeyRequest(resource: "it")
            )
            try await Self.expect(source, 0, .wrongKey)
        }
    }

    @Test("on disk: a slice of a changed chunk cannot be loaded, and other slices can")
    func onDisk() async throws {
        var stored = try CipherScene.all.last!.stored(Self.plain)
        let first = stored.count - 200_000 - 4 * 16
        stored[first + 65_552 + 100] ^= 1
        let base = ResidentSource(ScriptedResource(bytes: stored))
        let source = CipherSource(
            base,
            decryption: .age(.identities([CipherScene.identity])),
            for: KeyRequest(resource: "it")
        )
        _ = try await source.describe()
        let slice = try #require(source.residentSlice(.span(65_000..<66_000)))
        #expect(throws: SourceError.self) { try slice.load() }
        let whole = try #require(source.residentSlice(.span(100..<65_536)))
        #expect(try whole.load().withUnsafeBytes { Array($0) } == Array(Self.plain[100..<65_536]))
    }
}
