// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Names of resources, generations and files")
struct NamingTests {
    @Test("the identifier is the first half of SHA-256 over account, zero byte and location")
    func identifier() {
        // printf 'anna\0https://example.org/a.mp3' | sha256sum
        let key = ResourceKey(
            location: "https://example.org/a.mp3",
            account: "anna",
            display: "a"
        )
        #expect(key.identifier == "7041ea38258ad0125b936a3c3656efbb")
        #expect(ResourceID(key.identifier) == key.id)
    }

    @Test("account and location make the key, and the shown name does not")
    func identity() {
        func key(_ location: String, _ account: String, _ display: String) -> ResourceKey {
            ResourceKey(location: location, account: account, display: display)
        }
        #expect(key("a", "b", "c") == key("a", "b", "d"))
        #expect(key("a", "b", "c") != key("a", "", "c"))
        #expect(key("a", "b", "c") != key("b", "b", "c"))
        #expect(Set([key("a", "b", "c"), key("a", "b", "d")]).count == 1)
    }

    @Test("file names are read back, and no other text is taken for one")
    func fileNames() throws {
        let id = try #require(ResourceID("00112233445566778899aabbccddeeff"))
        let generation = GenerationID(rawValue: 0xAB)
        for kind in StoredFileName.Kind.allCases {
            let name = StoredFileName(id, generation, kind)
            #expect(StoredFileName(name.description) == name)
            #expect(name.path(in: "/c") == "/c/00/\(name)")
        }
        let stem = "00112233445566778899aabbccddeeff.00000000000000ab"
        for other in [
            "", ".", "..", stem, stem + ".", stem + ".txt", stem + ".DATA", stem + ".data~",
            stem.uppercased() + ".data", "0" + stem + ".data", String(stem.dropFirst()) + ".data",
            "00112233445566778899aabbccddeeff.+0000000000000ab.data", "é" + stem + ".data",
        ] {
            #expect(StoredFileName(other) == nil, "\(other)")
        }
    }

    @Test("generations only grow, whatever the clock does")
    func generations() {
        var generator = SeededGenerator(seed: 3)
        var sequence = GenerationSequence()
        var last = GenerationID(rawValue: 0)
        for _ in 0..<2000 {
            let time = Int64.random(in: -5...(1 << 50), using: &generator)
            let chance = UInt16.random(in: 0 ... .max, using: &generator)
            let next = sequence.next(at: time % 1000, chance: chance)
            #expect(next.rawValue > last.rawValue)
            last = next
        }
        sequence.skip(GenerationID(rawValue: 1 << 60))
        #expect(sequence.next(at: 5, chance: 0).rawValue == (1 << 60) + 1)
    }

    @Test("a generation's number is its time and a random part")
    func generationLayout() {
        var sequence = GenerationSequence()
        #expect(
            sequence.next(at: 0x0123_4567_89AB, chance: 0xCDEF).rawValue == 0x0123_4567_89AB_CDEF
        )
    }

    @Test("a forged largest number does not trap")
    func exhausted() {
        var sequence = GenerationSequence(after: .max)
        #expect(sequence.next(at: 1, chance: 1).rawValue == 0x1_0001)
    }
}
