// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirTestKit

@testable import WeirCache

@Suite("A catalogue that cannot be written")
struct UnwritableCatalogueTests {
    /// Puts a folder in the place of a file of SQLite, which then cannot be created, as on a full disk.
    private static func obstruct(_ bench: CacheBench, _ suffix: String) throws -> String {
        let path = bench.directory.path(of: "cache/catalogue.sqlite\(suffix)")
        try? FileManager.default.removeItem(atPath: path)
        try FileManager.default.createDirectory(
            atPath: "\(path)/x",
            withIntermediateDirectories: true
        )
        return path
    }

    @Test(
        "a catalogue that cannot be written is held in memory, and its resources can be removed",
        arguments: ["-shm", "-wal"]
    )
    func inMemory(_ suffix: String) throws {
        var bench = try CacheBench()
        for number in 0..<5 { try bench.keep(number, 0..<100, length: 1000) }
        try bench.cache.pin(identifier: CacheBench.key(3).id.description)
        let before = Set(try bench.cache.resources().map(\.identifier))
        let directory = bench.cache.directory
        bench.cache.close()
        let obstacle = try Self.obstruct(bench, suffix)
        #expect(Set(try Cache.resources(inDirectory: directory).map(\.identifier)) == before)
        bench = try CacheBench(in: bench.directory)
        let listed = try bench.cache.resources()
        #expect(Set(listed.map(\.identifier)) == before)
        #expect(listed.filter(\.isPinned).map(\.identifier) == [CacheBench.key(3).id.description])
        #expect(try bench.cache.verify(identifier: CacheBench.key(1).id.description) != nil)
        #expect(try bench.cache.remove(identifier: CacheBench.key(0).id.description))
        #expect(try bench.cache.open(CacheBench.key(0)) == nil)
        bench.cache.close()
        // The catalogue file is rewritten or removed; it never lists the removed resource.
        #expect(try Cache.resources(inDirectory: directory).count == 4)
        try FileManager.default.removeItem(atPath: obstacle)
        bench = try CacheBench(in: bench.directory)
        #expect(try bench.cache.resources().count == 4)
        #expect(try bench.cache.removeAll().resourceCount == 4)
        bench.cache.close()
    }
}
