// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

@Suite("Files of 0 to 100 bytes")
struct SmallFileTests {
    private static func plain(_ length: Int) -> [UInt8] {
        PatternBytes.bytes(in: 0..<Int64(length), seed: UInt64(length) + 7)
    }

    @Test("give every plain range, in pieces of any size", arguments: CipherScene.all)
    func ranges(_ scene: CipherScene) async throws {
        // `cipher-proof` checks all cases, in a release build.
        var generator = SeededGenerator(seed: UInt64.random(in: 0...UInt64.max))
        for length in 0...100 where scene.allows(length) {
            let plain = Self.plain(length)
            let stored = try scene.stored(plain)
            let chunk = Int.random(in: 1...33, using: &generator)
            let source = try scene.source(stored: stored, chunkSize: chunk)
            #expect(try await source.describe().length == Int64(length))
            for _ in 0..<12 {
                let lower = Int.random(in: 0...length, using: &generator)
                let upper = Int.random(in: lower...(length + 3), using: &generator)
                let bytes = try await source.bytes(.span(Int64(lower)..<Int64(upper)))
                let isRight = bytes == Array(plain[lower..<min(upper, length)])
                #expect(
                    isRight,
                    "\(lower)..<\(upper) of \(length) by \(chunk), seed \(generator.seed)"
                )
            }
            let suffix = Int64.random(in: 1...110, using: &generator)
            let last = try await source.bytes(.suffix(suffix))
            #expect(last == Array(plain.suffix(Int(suffix))), "last \(suffix) of \(length)")
            await #expect(throws: SourceError.self) {
                try await source.bytes(.from(Int64(length) + 1))
            }
        }
    }

    @Test("come whole where the length is unknown", arguments: CipherScene.all)
    func unknownLength(_ scene: CipherScene) async throws {
        for length in 0...100 where scene.allows(length) {
            // Without a length, a file shorter than its header cannot be recognised.
            if case .aes(let format, _) = scene.kind, length < format.plainHeaderLength { continue }
            let plain = Self.plain(length)
            let stored = try scene.stored(plain)
            for chunk in [1, 7, 16, 33, 1_000] {
                let source = try scene.source(
                    stored: stored,
                    chunkSize: chunk,
                    isLengthKnown: false
                )
                #expect(try await source.bytes() == plain, "\(length) by \(chunk)")
            }
        }
    }

    @Test("are refused past the end, where the end is unknown", arguments: CipherScene.all)
    func farBeyond(_ scene: CipherScene) async throws {
        let stored = try scene.stored(Self.plain(96))
        let edges: [Int64] = [1_000, 1 << 61, (1 << 61) + 1, Int64.max - 16, Int64.max]
        for lower in edges {
            for range in [RequestedRange.from(lower), .span(lower..<Int64.max)] where !range.isEmpty
            {
                let source = try scene.source(stored: stored, isLengthKnown: false)
                let error = await #expect(throws: SourceError.self, "\(range)") {
                    try await source.bytes(range)
                }
                #expect(error?.code == .rangeNotSatisfiable, "\(range)")
            }
        }
    }

    @Test("of an impossible length are refused", arguments: CipherScene.all)
    func lengths(_ scene: CipherScene) async throws {
        let stored = try scene.stored(Self.plain(96))
        for length in 0..<stored.count {
            let cut = Array(stored[..<length])
            let source = try scene.source(stored: cut)
            let isPossible =
                switch scene.kind {
                case .aes(let format, _): Self.isPossible(length, format)
                default: false
                }
            // A padded file cut between two blocks fails its padding check, except for about one in 256.
            if isPossible {
                _ = try await source.describe()
            } else {
                let error = await #expect(throws: SourceError.self, "\(length)") {
                    _ = try await source.describe()
                }
                #expect(error.map { [.damaged, .wrongKey, .notMedia].contains($0.code) } == true)
            }
        }
    }

    private static func isPossible(_ length: Int, _ format: AESFormat) -> Bool {
        let prefix = format.mode != .ecb && format.initialVector == .prefix ? 16 : 0
        let payload = length - prefix - Int(format.plainHeaderLength)
        guard length >= prefix else { return false }
        return format.mode == .ctr || payload < 0
            || format.padding == .none && payload.isMultiple(of: 16)
    }
}
