// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("A cache folder of a newer format")
struct NewerFormatTests {
    private static let resource = ScriptedResource(length: 50_000)

    /// The reasons that the library reported for working without the cache.
    private final class Reasons: Sendable {
        private let all = Mutex<[String]>([])
        var told: [String] { self.all.withLock { $0 } }
        func observe(_ event: SourceEvent) {
            if case .cacheDegraded(let reason) = event { self.all.withLock { $0.append(reason) } }
        }
    }

    @Test(
        "a newer catalogue: media play without the cache, one message says so, nothing is written"
    )
    func newerCatalogue() async throws {
        let fixture = try FormatFixture()
        let path = "\(fixture.directory)/catalogue.sqlite"
        // Opening and closing the library moves all rows into this one file.
        let first = try fixture.library()
        await first.close()
        // SQLite's user version is a 4-byte big-endian number at offset 60.
        var catalogue = try Data(contentsOf: URL(fileURLWithPath: path))
        catalogue[63] += 1
        try catalogue.write(to: URL(fileURLWithPath: path))
        let before = try fixture.files()
        let reasons = Reasons()
        let scene = try await LibraryScene(Self.resource)
        let library = try fixture.library {
            $0.isOffline = false
            $0.observer = { reasons.observe($0) }
        }
        for _ in 0..<2 {
            let bytes = try await LibraryScene.bytes(try library.media(scene.url()))
            #expect(ReadBytes(bytes) == ReadBytes(PatternBytes.bytes(in: 0..<50_000)))
        }
        let error = await #expect(throws: CacheError.self) { _ = try await library.resources() }
        #expect(error?.code == .newerFormat)
        await library.close()
        #expect(reasons.told.count == 1)
        #expect(reasons.told.first?.contains("a newer Weir wrote it (format 3)") == true)
        #expect(try fixture.files() == before)
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == catalogue)
        await scene.stop()
    }

    @Test(
        "a newer journal: its resource plays from the origin, its files remain, the others are read"
    )
    func newerJournal() async throws {
        let fixture = try FormatFixture()
        let scene = try await LibraryScene(Self.resource)
        // The scene's origin serves this resource, so the library can request it. Its journal then becomes newer.
        var library = try fixture.library { $0.isOffline = false }
        let media = try library.media(scene.url())
        _ = try await LibraryScene.bytes(media)
        let identifier = try #require(media.identifier)
        await library.close()
        let name = try #require(
            try fixture.files().keys.first { $0.contains(identifier) && $0.hasSuffix(".journal") }
        )
        let path = "\(fixture.directory)/\(name)"
        try Data(Self.prologue(version: 2) + Array("what a newer Weir says".utf8)).write(
            to: URL(fileURLWithPath: path)
        )
        let before = try fixture.files()

        let reasons = Reasons()
        library = try fixture.library {
            $0.isOffline = false
            $0.observer = { reasons.observe($0) }
        }
        let bytes = try await LibraryScene.bytes(try library.media(scene.url()))
        #expect(ReadBytes(bytes) == ReadBytes(PatternBytes.bytes(in: 0..<50_000)))
        #expect(
            reasons.told.contains { $0.contains("a newer Weir wrote it (format 2)") },
            "\(reasons.told)"
        )
        let other = FormatFixture.resources[0]
        let read = try await LibraryScene.bytes(try fixture.media(other, in: library))
        #expect(ReadBytes(read) == ReadBytes(other.plainBytes))
        await library.close()
        let after = try fixture.files()
        for (file, data) in before where file.contains(identifier) {
            #expect(after[file] == data, "\(file) was touched")
        }
        await scene.stop()
    }

    /// The first 16 bytes of a journal of any version: the magic, the version, and their CRC-32C.
    private static func prologue(version: UInt8) -> [UInt8] {
        let head = Array("WEIRJRNL".utf8) + [version, 0, 0, 0]
        var checksum = UInt32.max
        for byte in head {
            checksum ^= UInt32(byte)
            for _ in 0..<8 {
                checksum = checksum >> 1 ^ (checksum & 1 == 1 ? 0x82F6_3B78 : 0)
            }
        }
        checksum = ~checksum
        return head + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    }
}
