// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import Weir
import WeirCache
import WeirCacheTestSupport
import WeirLoader
import WeirTestKit
import WeirTestServers

@Suite("Defects of other loaders: the stored state", .timeLimit(.minutes(2)))
struct DefectPersistenceTests {
    private static let length: Int64 = 300_000
    private static let bytes = PatternBytes.bytes(in: 0..<Self.length)
    private static let key = ResourceKey(
        location: "https://origin.example/a.mp3",
        account: "",
        display: "https://origin.example/a.mp3"
    )

    // MARK: Responses without Content-Range

    @Test("defect 7: an answer without Content-Range stores no length, and breaks nothing for good")
    func noContentRange() async throws {
        let file = DefectFile()
        let isMended = Mutex(false)
        let scene = try await DefectScene { request in
            let range = request.range ?? 0..<400_000
            return file.part(range, namesRange: isMended.withLock { $0 })
        }
        for stretch in 0..<2 {
            let library = try scene.library()
            let media = try library.media(scene.url())
            let failure = await DefectScene.failure(media)
            #expect(failure?.code == .badAnswer, "stretch \(stretch)")
            #expect(media.availability == Availability(held: RangeSet(), length: nil))
            #expect(try await library.resources().isEmpty)
            await library.close()
            #expect(DefectScene.files(in: scene.folder.path, ".journal").isEmpty)
        }
        isMended.withLock { $0 = true }
        let library = try scene.library()
        let media = try library.media(scene.url())
        let isRight = try await DefectScene.isRight(media, 0..<400_000, of: file.bytes)
        #expect(isRight)
        #expect(try await media.describe().length == 400_000)
        await library.close()
        await scene.end()
    }

    // MARK: Replacing state

    /// Reads ranges of a cached source and expects the right bytes, with a cache over the given files.
    private static func stretch(
        _ directory: String,
        _ files: any FileOperations,
        _ ranges: [Range<Int64>]
    ) async throws {
        guard let cache = try? Cache(directory: directory, files: files) else { return }
        for range in ranges {
            // Each range has its own source, so that the cache writes a checkpoint when the source closes.
            let source = CachedSource(
                origin: ScriptedSource(length: Self.length, chunkSize: 65_536),
                key: Self.key,
                cache: cache
            )
            let isRight = try await DefectScene.isRight(source, range, of: Self.bytes)
            #expect(isRight)
            await source.close()
        }
        cache.close()
    }

    /// The bytes that a cache still holds, without an origin.
    private struct Rest {
        var held = RangeSet<Int64>()
        var isRight = true
        var damagedCount: Int64 = 0
    }

    private static func rest(_ directory: String) async throws -> Rest {
        let cache = try Cache(directory: directory)
        defer { cache.close() }
        let origin = ScriptedSource(length: Self.length)
        origin.refuse(with: SourceError(.offline, "Nobody is asked."), times: nil)
        let policy = LoadPolicy(revalidation: .never)
        let source = CachedSource(origin: origin, key: Self.key, cache: cache, policy: policy)
        var rest = Rest()
        guard let found = try cache.open(Self.key) else { return rest }
        rest.held = found.held
        found.release()
        for range in rest.held.ranges {
            let isRight = try? await DefectScene.isRight(source, range, of: Self.bytes)
            rest.isRight = isRight == true && rest.isRight
        }
        #expect(origin.log.byteCount == 0)
        await source.close()
        if let verified = try cache.verify(identifier: Self.key.identifier) {
            rest.damagedCount = verified.damagedByteCount
        }
        return rest
    }

    /// The bytes of data files that were written but not synchronized, by path: a power cut may lose them.
    private typealias Unsynchronized = [String: RangeSet<Int64>]

    private static func unsynchronized(_ log: [ScriptedFiles.Call]) -> Unsynchronized {
        log.reduce(into: [:]) { lost, call in
            switch call.operation {
            case .write where call.path.hasSuffix(".data"):
                lost[call.path, default: RangeSet()].insert(contentsOf: call.range)
            case .synchronize: lost[call.path] = nil
            default: break
            }
        }
    }

    /// The system's files; before each change they call `willChange` with the bytes that are not synchronized.
    private static func files(
        willChange: @escaping @Sendable (Unsynchronized) -> Void
    ) -> ScriptedFiles {
        let files = ScriptedFiles(isSerial: true)
        files.answer { [unowned files] call in
            if call.isChange { willChange(Self.unsynchronized(files.log)) }
            return .goesOn
        }
        return files
    }

    /// Copies a directory in the state after a kill, or after a power cut.
    private static func image(
        of directory: String,
        to target: String,
        without lost: Unsynchronized,
        hasCatalogue: Bool
    ) throws {
        try FileManager.default.copyItem(atPath: directory, toPath: target)
        for (path, ranges) in lost where path.hasPrefix(directory) {
            let copy = target + path.dropFirst(directory.count)
            guard FileManager.default.fileExists(atPath: copy) else { continue }
            let file = try FileHandle(forUpdating: URL(fileURLWithPath: copy))
            defer { try? file.close() }
            for range in ranges.ranges {
                try file.seek(toOffset: UInt64(range.lowerBound))
                try file.write(contentsOf: Data(count: range.count))
            }
        }
        guard !hasCatalogue else { return }
        for path in try FileManager.default.contentsOfDirectory(atPath: target)
        where path.hasPrefix("catalogue.sqlite") {
            try FileManager.default.removeItem(atPath: "\(target)/\(path)")
        }
    }

    /// Images of a directory, taken while a cache works in it.
    private final class Images: Sendable {
        let folder = TemporaryDirectory()
        private let count = Mutex(0)

        /// The directory in which the cache works.
        var run: String { self.folder.path(of: "run") }
        /// The paths of the images, in the order in which they were taken.
        var paths: [String] { (0..<self.count.withLock { $0 }).map(self.path) }

        private func path(_ number: Int) -> String { self.folder.path(of: "image-\(number)") }

        /// Takes an image; every second image has no catalogue, so that the journals alone must be enough.
        func take(without lost: Unsynchronized = [:]) {
            guard FileManager.default.fileExists(atPath: self.run) else { return }
            let number = self.count.withLock { count in
                defer { count += 1 }
                return count
            }
            do {
                try DefectPersistenceTests.image(
                    of: self.run,
                    to: self.path(number),
                    without: lost,
                    hasCatalogue: number.isMultiple(of: 2)
                )
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("defect 7: a journal is never removed before its successor exists")
    func replaced() async throws {
        let images = Images()
        let kept: [Range<Int64>] = [0..<100_000, 150_000..<200_000]
        try await Self.stretch(images.run, PosixFiles(), kept)
        // The data file is shorter than its journal says, so the cache writes a new journal when it opens the file.
        let data = try #require(DefectScene.files(in: images.run, ".data").first)
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: data))
        try file.truncate(atOffset: 150_000)
        try file.close()
        // An image simulates a kill before every change on the disk.
        let files = Self.files { _ in images.take() }
        try await Self.stretch(images.run, files, [90_000..<120_000, 200_000..<300_000])
        #expect(images.paths.count > 10)
        for path in images.paths {
            let rest = try await Self.rest(path)
            #expect(rest.held.isSuperset(of: RangeSet(0..<100_000)), "\(path.suffix(8))")
            #expect(rest.isRight, "\(path.suffix(8))")
        }
    }

    // MARK: The data's size and order

    @Test("defect 10: a data file with the length of the resource claims no more than its journal")
    func size() async throws {
        let file = DefectFile()
        let scene = try await DefectScene(file)
        let first = try scene.library()
        let media = try first.media(scene.url())
        _ = try await DefectScene.isRight(media, 0..<50_000, of: file.bytes)
        await first.close()
        let path = try #require(DefectScene.files(in: scene.folder.path, ".data").first)
        let data = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try data.truncate(atOffset: 400_000)
        try data.close()

        let second = try scene.library()
        let again = try second.media(scene.url())
        _ = try await again.describe()
        #expect(again.availability.held == RangeSet(0..<50_000))
        #expect(!again.availability.isComplete)
        #expect(try await second.resources().first?.isComplete == false)
        let isRight = try await DefectScene.isRight(again, 0..<400_000, of: file.bytes)
        #expect(isRight)
        // Weir did not request the held bytes again, and did not take the empty rest for bytes of the resource.
        #expect(second.totals.snapshot.receivedBytes == 350_000)
        await second.close()

        // Without a journal, the cache does not use even a complete data file.
        for journal in DefectScene.files(in: scene.folder.path, ".journal") {
            try FileManager.default.removeItem(atPath: journal)
        }
        let third = try scene.library()
        let last = try third.media(scene.url())
        let isStillRight = try await DefectScene.isRight(last, 0..<400_000, of: file.bytes)
        #expect(isStillRight)
        #expect(third.totals.snapshot.receivedBytes == 400_000)
        await third.close()
        await scene.end()
    }

    @Test("defect 12: no claim is stored before its bytes, whenever the power fails")
    func ahead() async throws {
        let images = Images()
        // The worst case: the journal as last written, and the data as last synchronized.
        let files = Self.files { images.take(without: $0) }
        try await Self.stretch(
            images.run,
            files,
            [0..<100_000, 200_000..<260_000, 50_000..<230_000]
        )
        images.take(without: Self.unsynchronized(files.log))
        #expect(images.paths.count > 10)
        var most: Int64 = 0
        for path in images.paths {
            let rest = try await Self.rest(path)
            #expect(rest.isRight, "\(path.suffix(8))")
            #expect(rest.damagedCount == 0, "\(path.suffix(8))")
            #expect(rest.held.byteCount >= most, "\(path.suffix(8))")
            most = max(most, rest.held.byteCount)
        }
        #expect(most == 260_000)
    }
}
