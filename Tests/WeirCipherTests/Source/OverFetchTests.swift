// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

@Suite("The cost of a plain range")
struct OverFetchTests {
    private static let plain = PatternBytes.bytes(in: 0..<300_000)

    @Test("is at most one extra block or chunk at each end", arguments: CipherScene.all)
    func ends(_ scene: CipherScene) async throws {
        let plain = Self.plain[..<(scene.allows(299_999) ? 299_999 : 299_984)]
        var resource = ScriptedResource(bytes: try scene.stored(Array(plain)))
        resource.validator = .revision("1")
        let origin = ScriptedSource(resource)
        let source = CipherSource(
            origin,
            decryption: try scene.decryption,
            for: KeyRequest(resource: "it")
        )
        _ = try await source.describe()
        let opening = origin.log.byteCount
        let isAge = if case .age = scene.kind { true } else { false }
        #expect(opening <= (isAge ? 512 + 65_552 : 48))
        var generator = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        var before = opening
        let readings = origin.log.readings.count
        for count in 1...60 {
            let lower = Int.random(in: 0..<(plain.count - 1), using: &generator)
            let upper = Int.random(
                in: (lower + 1)...min(plain.count, lower + 70_000),
                using: &generator
            )
            let bytes = try await source.bytes(.span(Int64(lower)..<Int64(upper)))
            #expect(bytes == Array(plain[lower..<upper]))
            let cost = origin.log.byteCount - before
            before = origin.log.byteCount
            // The units of the range, one more unit where a header shifts them, and the block before for CBC.
            let (plainUnit, unit) = isAge ? (65_536, 65_552) : (16, 16)
            let touched = (upper - 1) / plainUnit - lower / plainUnit + 1
            #expect(
                cost <= Int64((touched + 1) * unit) + (isAge ? 0 : 16),
                "\(lower)..<\(upper), seed \(generator.seed)"
            )
            #expect(origin.log.readings.count == readings + count, "one request each")
        }
    }

    @Test("is one request, where the opening needs no bytes", arguments: CipherScene.all[..<1])
    func first(_ scene: CipherScene) async throws {
        for range in [RequestedRange.whole, .from(100_001), .span(5..<70), .suffix(9_999)] {
            var resource = ScriptedResource(bytes: try scene.stored(Self.plain))
            resource.validator = .revision("1")
            let origin = ScriptedSource(resource)
            let source = CipherSource(
                origin,
                decryption: try scene.decryption,
                for: KeyRequest(resource: "it")
            )
            let bytes = try await source.bytes(range)
            let wanted = try #require(range.resolved(inLength: 300_000))
            #expect(bytes == Array(Self.plain[Int(wanted.lowerBound)..<Int(wanted.upperBound)]))
            #expect(origin.log.readings.count == 1)
            #expect(origin.log.byteCount <= Int64(bytes.count) + 32)
        }
    }

    @Test(
        "of a suffix is correct, also as the first read",
        arguments: CipherScene.all
    )
    func suffix(_ scene: CipherScene) async throws {
        let plain = Self.plain[..<(scene.allows(299_999) ? 299_999 : 299_984)]
        let stored = try scene.stored(Array(plain))
        for count in [1, 15, 16, 17, 31, 32, 33, 65_537, 100_001, 299_999, 300_100] {
            let source = try scene.source(stored: stored, chunkSize: 10_007)
            let bytes = try await source.bytes(.suffix(Int64(count)))
            let isRight = bytes == Array(plain.suffix(count))
            #expect(isRight, "\(count)")
        }
    }
}
