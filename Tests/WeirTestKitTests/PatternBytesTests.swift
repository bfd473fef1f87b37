// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@Suite("PatternBytes")
struct PatternBytesTests {
    @Test("a range of the pattern has the same bytes, whatever the sizes of the pieces")
    func cuts() {
        let whole = PatternBytes.bytes(in: 0..<64)
        for lower in 0..<40 {
            for upper in lower...40 {
                let part = PatternBytes.bytes(in: Int64(lower)..<Int64(upper))
                #expect(part == Array(whole[lower..<upper]))
            }
        }
        #expect(whole == (0..<64).map { PatternBytes.byte(at: $0) })
    }

    @Test("no two words of a pattern are equal, and patterns of two seeds differ in every word")
    func distinctWords() {
        func words(_ range: Range<Int64>, seed: UInt64) -> [[UInt8]] {
            let bytes = PatternBytes.bytes(in: range, seed: seed)
            return stride(from: 0, to: bytes.count, by: 8).map { Array(bytes[$0..<($0 + 8)]) }
        }
        let first = words(0..<80_000, seed: 1)
        let second = words(0..<80_000, seed: 2)
        #expect(Set(first).count == first.count)
        #expect(zip(first, second).allSatisfy { $0 != $1 })
    }

    @Test("offsets near the limit of 64 bits have bytes, too")
    func farOffsets() {
        let bytes = PatternBytes.bytes(in: (Int64.max - 20)..<Int64.max)
        #expect(bytes.count == 20)
        #expect(bytes.last == PatternBytes.byte(at: Int64.max - 1))
    }

    @Test("the first difference is found at its offset")
    func differences() {
        var bytes = PatternBytes.bytes(in: 100..<200, seed: 7)
        #expect(PatternBytes.firstDifference(in: bytes, at: 100, seed: 7) == nil)
        #expect(PatternBytes.firstDifference(in: bytes, at: 101, seed: 7) != nil)
        bytes[42] ^= 1
        #expect(PatternBytes.firstDifference(in: bytes, at: 100, seed: 7) == 142)
    }

    @Test("a seeded generator repeats its numbers, and another seed gives others")
    func generator() {
        func numbers(_ seed: UInt64) -> [UInt64] {
            var generator = SeededGenerator(seed: seed)
            return (0..<100).map { _ in generator.next() }
        }
        #expect(numbers(5) == numbers(5))
        #expect(Set(numbers(5)).isDisjoint(with: numbers(6)))
        // The reference implementation's first numbers for the seed 1234567.
        #expect(
            Array(numbers(1_234_567).prefix(3)) == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ]
        )
    }
}
