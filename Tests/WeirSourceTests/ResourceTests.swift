// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The description of a resource")
struct ResourceTests {
    /// A source that implements only the required functions.
    private struct Plain: ByteSource {
        let memory = MemorySource(bytes: [1, 2, 3])

        func describe() async throws -> ResourceDescription { try await self.memory.describe() }
        func read(_ demand: ReadDemand) async throws -> ByteReading {
            try await self.memory.read(demand)
        }
    }

    @Test("a change to a copy leaves the original description unchanged")
    func copies() {
        let first = ResourceDescription(length: 1, name: "a.mp3")
        var copy = first
        #expect(copy.isCopy(of: first))
        copy.length = 2
        copy.mediaType = MediaType(headerValue: "audio/mpeg")
        copy.validator = .revision("7")
        copy.name = "b.mp3"
        copy.acceptsRanges = true
        copy.generation = GenerationID(rawValue: 3)
        copy.cacheDirectives = CacheDirectives(forbidsStoring: true)
        #expect(first == ResourceDescription(length: 1, name: "a.mp3"))
        let whole = ResourceDescription(
            length: 2,
            mediaType: MediaType(headerValue: "audio/mpeg"),
            validator: .revision("7"),
            name: "b.mp3",
            acceptsRanges: true,
            generation: GenerationID(rawValue: 3),
            cacheDirectives: CacheDirectives(forbidsStoring: true)
        )
        #expect(copy == whole)
        #expect(copy.hashValue == whole.hashValue)
        #expect(!copy.isCopy(of: whole))
    }

    @Test("a generation's name survives writing and reading, whatever its bits are")
    func generationNames() throws {
        var generator = SeededGenerator(seed: 11)
        let values = [0, 1, .max, 0x0F] + (0..<200).map { _ in generator.next() }
        for value in values {
            let name = GenerationID(rawValue: value).description
            #expect(name.utf8.count == 16)
            #expect(name == name.lowercased())
            #expect(GenerationID(name) == GenerationID(rawValue: value), "seed 11")
        }
    }

    @Test(
        "other text is not the name of a generation",
        arguments: [
            "", "0", "00000000000000000", "000000000000000g", "-000000000000001",
            "0x00000000000000",
        ]
    )
    func noNames(_ text: String) {
        #expect(GenerationID(text) == nil)
    }

    @Test("the version of a description holds the identity of the bytes")
    func versions() {
        let description = ResourceDescription(
            length: 5,
            validator: .revision("a"),
            name: "Song.mp3"
        )
        #expect(description.version == ReadDemand.Version(validator: .revision("a"), length: 5))
    }

    @Test("a plain source lends nothing, holds nothing and reports that once")
    func defaults() async throws {
        let source = Plain()
        #expect(source.residentSlice(.whole) == nil)
        #expect(source.availability == Availability(held: RangeSet(), length: nil))
        var changes: [Availability] = []
        for await availability in source.availabilityChanges() { changes.append(availability) }
        #expect(changes == [source.availability])
        #expect(try await source.read(.suffix(2)).range == 1..<3)
    }

    @Test("an error reads as a sentence and has the facts")
    func errors() {
        let error = SourceError.pastTheEnd(.from(9), length: 5)
        #expect(
            "\(error)" == "The range 9... starts past the end of the resource, which has 5 bytes."
        )
        #expect(error.code == .rangeNotSatisfiable)
        #expect("\(error.code)" == "rangeNotSatisfiable")
        #expect(error.length == 5)
    }
}
