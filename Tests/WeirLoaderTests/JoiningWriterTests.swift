// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirLoader

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Joining a response to held bytes")
struct JoiningWriterTests {
    private static let length: Int64 = 64 << 10

    private static func memory(_ range: Range<Int64>) -> ByteMemory {
        ByteMemory(PatternBytes.bytes(in: range))
    }

    private static func made(_ cache: Cache, _ name: String) async throws -> Generation {
        let generation = try cache.create(
            ResourceKey(location: name, account: "", display: name),
            description: ResourceDescription(length: Self.length),
            persistent: false
        )
        try generation.accept(Self.memory(0..<8192), at: 0)
        try? await generation.checkpoint()
        return generation
    }

    @Test("a response that could not be compared with held bytes is known as such")
    func unreadable() async throws {
        let files = ScriptedFiles()
        let folder = TemporaryDirectory()
        let cache = try Cache(directory: folder.path, files: files, maximumOpenFiles: 1)
        let generation = try await Self.made(cache, "1")
        // The second one takes the only place of an open file.
        let other = try await Self.made(cache, "2")
        files.answer { _ in .fails(EMFILE) }
        var writer = JoiningWriter(generation, overlap: JoiningWriter.comparedCount)
        #expect(throws: CacheError.self) {
            try writer.take(Self.memory(4096..<12_288), at: 4096)
        }
        #expect(writer.lacksComparison)
        files.heal()
        #expect(try writer.take(Self.memory(4096..<12_288), at: 4096) == 12_288)
        #expect(!writer.lacksComparison)
        #expect(generation.holds(0..<12_288))
        other.release()
        generation.release()
        cache.close()
    }
}
