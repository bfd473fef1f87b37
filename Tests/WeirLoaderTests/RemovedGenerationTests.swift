// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCache
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirLoader

@Suite(
    "Evicted or cleared bytes are no longer served, and free their space",
    .timeLimit(.minutes(1))
)
struct RemovedGenerationTests {
    private static let length: Int64 = 300_000

    /// A cache with a limit, and sources over it, each for a resource of its own.
    private final class CrowdedCache: Sendable {
        let folder = TemporaryDirectory()
        let files = ScriptedFiles()
        let cache: Cache
        let sources: [CachedSource]
        let origins: [ScriptedSource]

        init(
            _ count: Int,
            limit: Int64?,
            hasValidator: Bool = true,
            maximumOpenFiles: Int = Cache.defaultMaximumOpenFiles
        ) throws {
            let cache = try Cache(
                directory: self.folder.path,
                limits: CacheLimits(byteCount: limit),
                files: self.files,
                maximumOpenFiles: maximumOpenFiles
            )
            self.cache = cache
            let origins = (0..<count).map { number in
                var resource = ScriptedResource(length: length, seed: UInt64(number))
                if !hasValidator { resource.validator = nil }
                return ScriptedSource(resource)
            }
            self.origins = origins
            self.sources = origins.enumerated().map { number, origin in
                CachedSource(
                    origin: origin,
                    key: ResourceKey(location: "\(number)", account: "", display: "\(number)"),
                    cache: cache,
                    policy: LoaderScene.smallPolicy,
                    clock: ManualClock()
                )
            }
        }

        deinit { self.cache.close() }

        func bytes(_ number: Int, _ range: RequestedRange = .whole) async throws -> [UInt8] {
            var bytes: [UInt8] = []
            for try await chunk in try await self.sources[number].read(range) {
                bytes += try chunk.bytes()
            }
            return bytes
        }

        /// The space of the data files on the disk: files in the folder, and open files without a
        /// name.
        func diskUse() throws -> (named: Int64, deletedCount: Int) {
            var named: Int64 = 0
            let names =
                (try? FileManager.default.subpathsOfDirectory(atPath: self.folder.path)) ?? []
            for name in names where name.hasSuffix(".data") {
                // A file may be removed at this moment.
                var status = stat()
                if stat("\(self.folder.path)/\(name)", &status) == 0 {
                    named += Int64(status.st_blocks) * 512
                }
            }
            let links = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            let deleted = links.filter { link in
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "/proc/self/fd/\(link)"
                )
                return target.map {
                    $0.hasPrefix(self.folder.path) && $0.hasSuffix(".data (deleted)")
                } ?? false
            }
            return (named, deleted.count)
        }
    }

    private static func pattern(_ seed: UInt64, _ range: Range<Int64> = 0..<length) -> [UInt8] {
        PatternBytes.bytes(in: range, seed: seed)
    }

    #if os(Linux)
    @Test(
        "sixty resources use no more disk than the limit allows, and no deleted file stays open",
        arguments: [true, false]
    )
    func sixty(hasValidator: Bool) async throws {
        let limit = 8 * Self.length
        let crowd = try CrowdedCache(60, limit: limit, hasValidator: hasValidator)
        for number in 0..<60 {
            #expect(try await crowd.bytes(number) == Self.pattern(UInt64(number)))
        }
        try await self.expectBound(crowd, limit)
    }

    @Test(
        "a reader keeps the bytes that it reads, and releases them when it leaves",
        arguments: [true, false]
    )
    func reader(hasValidator: Bool) async throws {
        let limit = 4 * Self.length
        let crowd = try CrowdedCache(20, limit: limit, hasValidator: hasValidator)
        #expect(try await crowd.bytes(0).count == Int(Self.length))
        // The disk gets the last bytes after the reader.
        try await Self.waitUntil(crowd.cache) {
            crowd.sources[0].residentSlice(.whole)?.range == 0..<Self.length
        }
        var slice = crowd.sources[0].residentSlice(.whole)
        // A late departure would make this resource the newest.
        try await crowd.sources[0].loader.waitUntilIdle()
        for number in 1..<20 {
            _ = try await crowd.bytes(number)
            try await crowd.sources[number].loader.waitUntilIdle()
        }
        // The evictions come before the next look at the slice, which counts as a use.
        _ = try crowd.cache.resources()
        #expect(try slice?.load().withUnsafeBytes { Array($0) } == Self.pattern(0))
        try await Self.waitUntil(crowd.cache) { crowd.sources[0].residentSlice(.whole) == nil }
        slice = nil
        try await self.expectBound(crowd, limit)
        #expect(try await crowd.bytes(0) == Self.pattern(0))
        #expect(crowd.origins[0].log.demands.count == 2)
    }

    private func expectBound(_ crowd: CrowdedCache, _ limit: Int64) async throws {
        try await Self.waitUntil(crowd.cache) {
            let use = try crowd.diskUse()
            // A file takes whole blocks of 4 KiB.
            return use.deletedCount == 0 && use.named <= limit + 64 * 4096
        }
    }
    #endif

    @Test("after all is cleared the next reading asks the origin", arguments: [true, false])
    func clear(hasValidator: Bool) async throws {
        let crowd = try CrowdedCache(1, limit: nil, hasValidator: hasValidator)
        #expect(try await crowd.bytes(0) == Self.pattern(0))
        let removal = try crowd.cache.removeAll()
        #expect(removal == CacheRemoval(resourceCount: 1, byteCount: Self.length))
        #expect(crowd.sources[0].residentSlice(.whole) == nil)
        #expect(crowd.sources[0].availability.held.isEmpty)
        var new = ScriptedResource(length: Self.length, seed: 77)
        if !hasValidator { new.validator = nil }
        crowd.origins[0].replace(with: new)
        #expect(try await crowd.bytes(0) == Self.pattern(77))
        crowd.cache.finishWrites()
        #expect(crowd.sources[0].residentSlice(.whole) != nil)
    }

    @Test(
        "a reader that began before a clear gets the rest of its version, and a later one starts afresh",
        arguments: [true, false]
    )
    func clearInMidRead(hasValidator: Bool) async throws {
        let crowd = try CrowdedCache(1, limit: nil, hasValidator: hasValidator)
        let iterator = try await crowd.sources[0].read(.whole).makeAsyncIterator()
        var bytes = try #require(try await iterator.next()?.bytes())
        try crowd.cache.removeAll()
        #expect(try await crowd.bytes(0) == Self.pattern(0))
        while let chunk = try await iterator.next() { bytes += try chunk.bytes() }
        #expect(bytes == Self.pattern(0))
    }

    @Test(
        "a reader that began before a clear fails if the origin has another version by then",
        arguments: [true, false]
    )
    func changeAfterClear(hasValidator: Bool) async throws {
        let crowd = try CrowdedCache(1, limit: nil, hasValidator: hasValidator)
        let iterator = try await crowd.sources[0].read(.whole).makeAsyncIterator()
        _ = try await iterator.next()
        try crowd.cache.removeAll()
        var new = ScriptedResource(length: Self.length, seed: 77)
        if !hasValidator { new.validator = nil }
        crowd.origins[0].replace(with: new)
        #expect(try await crowd.bytes(0) == Self.pattern(77))
        let error = await #expect(throws: SourceError.self) {
            while let chunk = try await iterator.next() {
                let isOld = try chunk.bytes() == Self.pattern(0, chunk.range)
                #expect(isOld, "bytes of two versions")
            }
        }
        #expect(error?.code == .changed)
    }

    @Test("a whole resource that is cleared while it is read is read from the disk to its end")
    func clearInMidResidentRead() async throws {
        let crowd = try CrowdedCache(1, limit: nil)
        _ = try await crowd.bytes(0)
        let iterator = try await crowd.sources[0].read(.whole).makeAsyncIterator()
        var bytes = try #require(try await iterator.next()?.bytes())
        try crowd.cache.removeAll()
        while let chunk = try await iterator.next() { bytes += try chunk.bytes() }
        #expect(bytes == Self.pattern(0))
        #expect(crowd.origins[0].log.demands.count == 1)
    }

    @Test("without a free descriptor, held bytes come from the origin")
    func noDescriptors() async throws {
        let crowd = try CrowdedCache(2, limit: nil, maximumOpenFiles: 1)
        for number in 0..<2 {
            #expect(try await crowd.bytes(number) == Self.pattern(UInt64(number)))
        }
        try await Self.waitUntil(crowd.cache) { crowd.cache.openFileCount == 1 }
        #expect(crowd.sources[0].residentSlice(.whole) == nil)
        crowd.files.answer { _ in .fails(EMFILE) }
        #expect(try await crowd.bytes(0) == Self.pattern(0))
        #expect(crowd.origins[0].log.demands.count == 2)
        crowd.files.heal()
        #expect(try await crowd.bytes(0) == Self.pattern(0))
        #expect(crowd.origins[0].log.demands.count == 2, "it is held again")
    }

    @Test("without a free descriptor and a validator, the bytes behind held ones play")
    func noDescriptorBehindHeldBytes() async throws {
        let crowd = try CrowdedCache(2, limit: nil, hasValidator: false, maximumOpenFiles: 1)
        let half = Self.length / 2
        let start = try await crowd.bytes(0, .span(0..<half))
        #expect(start == Array(Self.pattern(0)[..<Int(half)]))
        #expect(try await crowd.bytes(1) == Self.pattern(1))
        try await Self.waitUntil(crowd.cache) { crowd.cache.openFileCount == 1 }
        #expect(crowd.sources[0].residentSlice(.span(0..<half)) == nil)
        crowd.files.answer { _ in .fails(EMFILE) }
        // The held bytes before the first one cannot be read for a comparison, and this reader gets
        // none of them.
        #expect(try await crowd.bytes(0, .from(half)) == Array(Self.pattern(0)[Int(half)...]))
        #expect(crowd.origins[0].log.demands.count == 2)
        crowd.files.heal()
    }

    /// Waits until a condition holds that depends on the departure of readers.
    ///
    /// The loader hears of a departure in a separate task, and the cache then works on its queue.
    private static func waitUntil(_ cache: Cache, _ isSo: () throws -> Bool) async throws {
        for _ in 0..<20_000 {
            if try isSo() { return }
            await Task.yield()
            cache.finishWrites()
            // Waits for the work on the queue.
            _ = try cache.resources()
        }
        #expect(try isSo())
    }
}

extension ResourceLoader {
    /// Waits until the loader has released its generation, which counts as a use of the resource.
    ///
    /// The loader hears of a reader's departure, and of the end of a response, in separate tasks.
    func waitUntilIdle() async throws {
        while !self.readers.isEmpty || !self.fetches.isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
