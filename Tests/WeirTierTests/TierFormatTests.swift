// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirTier

@Suite("Cutting, naming and sealing a resource", .timeLimit(.minutes(1)))
struct TierFormatTests {
    private static let seal = TierSeal(secret: TierScene.secret)
    private static let validators: [Validator] = [
        .entityTag("\"a\""), .entityTag("\"\""), .revision("7"), .revision("line\nbreak"),
        .lastModified("Thu, 26 Nov 2026 21:00:00 GMT", length: 10),
    ]

    @Test(
        "extents cover a resource once, and the last one ends with it",
        arguments: [1, 7, 1000, 4 << 20]
    )
    func cut(size: Int64) {
        let layout = ExtentLayout(size: size)
        for length in [1, size - 1, size, size + 1, 3 * size, 3 * size + 1] where length > 0 {
            var end: Int64 = 0
            for number in 0...layout.number(of: length - 1) {
                let range = layout.range(of: number, inLength: length)
                #expect(range.lowerBound == end && !range.isEmpty)
                #expect(layout.number(of: range.lowerBound) == number)
                #expect(layout.number(of: range.upperBound - 1) == number)
                end = range.upperBound
            }
            #expect(end == length)
            #expect(
                layout.whole(in: RangeSet(0..<length), ofLength: length).count == layout.number(
                    of: length - 1
                ) + 1
            )
        }
    }

    @Test("an extent is whole when every byte of it is held")
    func whole() {
        let layout = ExtentLayout(size: 10)
        func numbers(_ ranges: [Range<Int64>], _ length: Int64 = 35) -> [Int] {
            layout.whole(in: RangeSet(ranges), ofLength: length)
        }
        #expect(numbers([]) == [])
        #expect(numbers([0..<9]) == [])
        #expect(numbers([1..<20]) == [1])
        #expect(numbers([0..<35]) == [0, 1, 2, 3])
        #expect(numbers([0..<34]) == [0, 1, 2])
        #expect(numbers([30..<35]) == [3])
        #expect(numbers([31..<35]) == [])
        #expect(numbers([5..<15, 20..<30]) == [2])
        #expect(numbers([0..<40], 40) == [0, 1, 2, 3])
    }

    @Test("the largest numbers do not overflow")
    func largest() {
        let layout = ExtentLayout.standard
        let length = Int64.max
        #expect(
            layout.range(of: layout.number(of: length - 1), inLength: length).upperBound == length
        )
        #expect(layout.range(of: .max, inLength: 5).isEmpty)
        #expect(layout.whole(in: RangeSet(length - 10..<length), ofLength: length).isEmpty)
    }

    @Test("versions differ by validator, its kind, and length, and are the same on every machine")
    func generations() throws {
        var seen: Set<String> = []
        for validator in Self.validators {
            for length in [Int64(0), 1, 10, .max] {
                let generation = try #require(TierGeneration("r", validator, length: length))
                #expect(generation.version.count == 32)
                #expect(seen.insert(generation.version).inserted)
                #expect(generation == TierGeneration("r", validator, length: length))
            }
        }
        #expect(TierGeneration("r", nil, length: 1) == nil)
        #expect(TierGeneration("r", .revision("1"), length: nil) == nil)
        // Two machines with any versions of Weir must compute the same value.
        let known = try #require(TierGeneration("r", .entityTag("\"a\""), length: 5))
        #expect(known.version == "532b814d8bf02d40b8e1b993c5b9d7d5")
    }

    @Test("the names sort like the bytes, and a number is read back")
    func names() throws {
        let generation = try #require(TierGeneration("r", .revision("1"), length: 1))
        let layout = ExtentLayout.standard
        let prefix = TierKey.extents(of: generation, layout)
        let numbers = [0, 1, 9, 10, 99, 1000, 999_999_999_999]
        let keys = numbers.map { TierKey.extent($0, of: generation, layout) }
        #expect(keys == keys.sorted())
        #expect(keys.map { TierKey.number(in: $0, behind: prefix) } == numbers)
        for other in [
            "", prefix, prefix + "1", prefix + "00000000000x", prefix + "+00000000001",
            "x" + keys[0],
        ] {
            #expect(TierKey.number(in: other, behind: prefix) == nil)
        }
    }

    @Test("a sealed object opens with its name and its secret, and with no other")
    func seal() {
        for count in [0, 1, 1000] {
            let content = PatternBytes.bytes(in: 0..<Int64(count))
            let object = Self.seal.sealed(content, as: "name")
            #expect(object.count == content.count + TierSeal.overhead)
            #expect(Self.seal.content(of: object, as: "name").map(Array.init) == content)
            #expect(Self.seal.content(of: object, as: "nam") == nil)
            #expect(Self.seal.content(of: object, as: "name\u{0}") == nil)
            #expect(TierSeal(secret: Array("other".utf8)).content(of: object, as: "name") == nil)
        }
        // The seal covers the boundary between name and content.
        let object = Self.seal.sealed([0x62], as: "a")
        #expect(Self.seal.content(of: object, as: "ab") == nil)
    }

    @Test("an object with any bit flipped, or cut or extended, does not open")
    func changes() {
        let object = Self.seal.sealed([1, 2, 3], as: "name")
        for index in object.indices {
            for bit in 0..<8 {
                var changed = object
                changed[index] ^= 1 << bit
                #expect(Self.seal.content(of: changed, as: "name") == nil)
            }
            #expect(Self.seal.content(of: Array(object[..<index]), as: "name") == nil)
        }
        #expect(Self.seal.content(of: object + [0], as: "name") == nil)
        #expect(Self.seal.content(of: [], as: "name") == nil)
    }

    @Test("a descriptor is read back as it was written", arguments: validators)
    func descriptors(validator: Validator) throws {
        for isFull in [false, true] {
            let description = ResourceDescription(
                length: 10,
                mediaType: isFull ? MediaType(headerValue: "audio/flac") : nil,
                validator: validator,
                name: isFull ? "ü.flac" : nil,
                acceptsRanges: isFull ? true : nil,
                cacheDirectives: isFull ? CacheDirectives(freshness: .seconds(5)) : nil
            )
            let descriptor = TierDescriptor(description, confirmed: 7)
            #expect(descriptor.bytes.count < TierDescriptor.mostBytes)
            #expect(TierDescriptor(descriptor.bytes) == descriptor)
        }
    }

    @Test("bytes that are not a descriptor are refused")
    func garbage() {
        var generator = SeededGenerator(seed: 22)
        let sound = TierDescriptor(
            ResourceDescription(length: 10, validator: .revision("1")),
            confirmed: 7
        ).bytes
        for _ in 0..<2000 {
            var bytes = sound
            for _ in 0...Int.random(in: 0..<4, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                    in: 0...255,
                    using: &generator
                )
            }
            if let read = TierDescriptor(bytes) {
                #expect(read.description.validator != nil && read.description.length ?? -1 >= 0)
            }
        }
        for text in [
            "", "null", "[]", "{}",
            #"{"length":-1,"validatorKind":"revision","validator":"1","confirmed":0}"#,
        ] {
            #expect(TierDescriptor(Array(text.utf8)) == nil)
        }
    }
}
