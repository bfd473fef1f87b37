// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirSource
import WeirTestKit

@Suite("A cache folder of the first format")
struct FirstFormatTests {
    @Test(
        "every held byte of a resource is read unchanged",
        arguments: FormatFixture.resources
    )
    func bytes(_ resource: FormatFixture.Resource) async throws {
        let fixture = try FormatFixture()
        let library = try fixture.library()
        let media = try fixture.media(resource, in: library)
        let plain = resource.plainBytes
        for range in resource.readableRanges {
            let read = try await LibraryScene.bytes(media, .span(range))
            #expect(
                ReadBytes(read)
                    == ReadBytes(
                        plain[Int(range.lowerBound)..<min(plain.count, Int(range.upperBound))]
                    )
            )
        }
        let described = try await media.describe()
        #expect(described.length == resource.size)
        #expect(described.mediaType?.essence == "audio/flac")
        await library.close()
    }

    @Test(
        "validator, length, type, name and runs are unchanged",
        arguments: FormatFixture.resources
    )
    func descriptions(_ resource: FormatFixture.Resource) async throws {
        let fixture = try FormatFixture()
        let library = try fixture.library()
        let stored = try fixture.media(resource, in: library, stored: true)
        let described = try await stored.describe()
        #expect(described.validator == resource.validator)
        #expect(described.length == resource.storedLength)
        #expect(described.generation?.description == resource.generation)
        if let name = resource.name { #expect(described.name == name) }
        let availability = stored.availability
        #expect(Array(availability.held.ranges) == resource.heldRanges)
        #expect(availability.length == resource.storedLength)
        await library.close()
    }

    @Test(
        "bytes that are not held are an error",
        arguments: FormatFixture.resources.filter { $0.held.count > 1 }
    )
    func holes(_ resource: FormatFixture.Resource) async throws {
        let fixture = try FormatFixture()
        let library = try fixture.library()
        let media = try fixture.media(resource, in: library, stored: true)
        let hole = resource.heldRanges[0].upperBound..<resource.heldRanges[1].lowerBound
        await #expect(throws: SourceError.self) {
            _ = try await LibraryScene.bytes(media, .span(hole))
        }
        await library.close()
    }

    @Test(
        "the list has every resource, with its account, its pin, its type and its size",
        arguments: [true, false]
    )
    func list(hasCatalogue: Bool) async throws {
        let fixture = try FormatFixture()
        if !hasCatalogue {
            try FileManager.default.removeItem(atPath: "\(fixture.directory)/catalogue.sqlite")
        }
        let library = try fixture.library()
        let listed = try await library.resources()
        #expect(listed.count == FormatFixture.resources.count)
        for resource in FormatFixture.resources {
            let found = try #require(listed.first { $0.identifier == resource.identifier })
            #expect(found.display == resource.display)
            #expect(found.account == resource.account ?? "")
            #expect(found.generation.description == resource.generation)
            #expect(found.length == resource.storedLength)
            #expect(found.heldByteCount == resource.heldRanges.reduce(0) { $0 + Int64($1.count) })
            #expect(found.mediaType?.essence == resource.mediaType)
            #expect(found.isPinned == (resource.isPinned ?? false))
            let verified = try await library.verify(identifier: resource.identifier)
            #expect(verified?.damagedByteCount == 0)
            #expect(verified?.soundByteCount == found.heldByteCount)
        }
        await library.close()
    }

    @Test("reading changes no journal and no data, and removes only a superseded generation")
    func unchanged() async throws {
        let fixture = try FormatFixture()
        let before = try fixture.files()
        var library = try fixture.library()
        for resource in FormatFixture.resources {
            let media = try fixture.media(resource, in: library)
            for range in resource.readableRanges {
                _ = try await LibraryScene.bytes(media, .span(range))
            }
        }
        await library.close()
        // Opening the library again changes nothing, either.
        library = try fixture.library()
        _ = try await library.resources()
        await library.close()
        let after = try fixture.files()
        for (name, data) in after {
            #expect(data == before[name], "\(name) was written")
        }
        let current = Set(FormatFixture.resources.map { "\($0.identifier).\($0.generation)" })
        let lost = before.keys.filter { after[$0] == nil }
        #expect(
            lost.allSatisfy { name in !current.contains { name.contains($0) } },
            "lost: \(lost)"
        )
        #expect(before.count == 2 * current.count + 2)
    }
}
