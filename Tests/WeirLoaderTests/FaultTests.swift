// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirCache
import WeirCacheTestSupport
import WeirLoader
import WeirSource
import WeirTestKit

/// Every operation of the store fails, once or from then on, in each way; all bytes read are right.
@Suite("Playback goes on whatever the disk does", .timeLimit(.minutes(10)))
struct FaultTests {
    private static let length: Int64 = 250_000
    private static let newLength: Int64 = 230_000

    /// How an operation fails.
    enum DiskFailure: Hashable, CaseIterable, CustomStringConvertible {
        case noSpace
        case broken
        case tooManyFiles
        case interrupted
        case shortWrite

        var description: String {
            switch self {
            case .noSpace: "ENOSPC"
            case .broken: "EIO"
            case .tooManyFiles: "EMFILE"
            case .interrupted: "EINTR"
            case .shortWrite: "a short write"
            }
        }

        private func answer(_ call: ScriptedFiles.Call) -> ScriptedFiles.Answer {
            switch self {
            case .noSpace: .fails(ENOSPC)
            case .broken: .fails(EIO)
            case .tooManyFiles: .fails(EMFILE)
            case .interrupted: .fails(EINTR)
            case .shortWrite: call.operation == .write ? .short(call.count / 2) : .goesOn
            }
        }

        /// Makes the operations with these numbers fail; the first operation has number 1.
        func fail(_ numbers: ClosedRange<Int>, of files: ScriptedFiles) {
            files.answer { numbers.contains($0.number) ? self.answer($0) : .goesOn }
        }
    }

    @Test("when an operation fails once", arguments: DiskFailure.allCases)
    func once(_ trouble: DiskFailure) async throws {
        try await Self.sweep(trouble) { $0...$0 }
    }

    @Test("when all operations fail from one on", arguments: DiskFailure.allCases)
    func forever(_ trouble: DiskFailure) async throws {
        try await Self.sweep(trouble) { $0...Int.max }
    }

    @Test("without a disk, the next reader after a change gets the new version")
    func changeWithoutDisk() async throws {
        let files = ScriptedFiles()
        let folder = TemporaryDirectory()
        let cache = try Cache(directory: folder.path, files: files)
        defer { cache.close() }
        let origin = ScriptedSource(ScriptedResource(length: Self.length, seed: 1))
        // The old bytes are in memory, and only a question to the origin shows that they are old.
        let policy = LoadPolicy(
            readAhead: 64 << 10,
            maximumChunk: 64 << 10,
            revalidation: .always
        )
        let source = CachedSource(
            origin: origin,
            key: LoaderScene.key,
            cache: cache,
            policy: policy
        )
        DiskFailure.noSpace.fail(1...Int.max, of: files)
        // This reader starts playing, and stays open.
        let old = try await source.read(.whole).makeAsyncIterator()
        _ = try await old.next()
        origin.replace(with: ScriptedResource(length: Self.newLength, seed: 2))
        #expect(try await Self.isRight(source, 0..<Self.newLength, seed: 2))
        withExtendedLifetime(old) {}
    }

    @Test(
        "without a disk and a version, no bytes of another resource follow",
        arguments: [UInt64(1), 2]
    )
    func otherBytesWithoutDisk(_ seed: UInt64) async throws {
        let scene = try LoaderScene(Self.unversioned(seed: 1))
        DiskFailure.noSpace.fail(1...Int.max, of: scene.files)
        // The fetch is the first reader's: the second one has no response to continue with.
        let first = try await scene.source.read(.whole).makeAsyncIterator()
        _ = try await first.next()
        let second = try await scene.source.read(.whole).makeAsyncIterator()
        var bytes = try #require(try await second.next()).bytes()
        scene.cache.finishWrites()
        scene.origin.replace(with: Self.unversioned(seed: seed))
        let error = await thrownError {
            while let chunk = try await second.next() { bytes += try chunk.bytes() }
        }
        #expect(error?.code == (seed == 1 ? nil : .changed))
        let expected = PatternBytes.bytes(in: 0..<Self.length)
        #expect(seed == 1 ? bytes == expected : bytes == Array(expected.prefix(bytes.count)))
        withExtendedLifetime(first) {}
    }

    @Test("when the disk fails in a hole, the held bytes behind it do not follow uncompared")
    func otherBytesBehindHole() async throws {
        let scene = try LoaderScene(Self.unversioned(seed: 1))
        _ = try await scene.bytes(.span(0..<50_000))
        _ = try await scene.bytes(.span(150_000..<Self.length))
        scene.cache.finishWrites()
        // The new resource has the same beginning.
        var new = PatternBytes.bytes(in: 0..<Self.length, seed: 2)
        new.replaceSubrange(0..<50_000, with: PatternBytes.bytes(in: 0..<50_000))
        scene.origin.replace(with: ScriptedResource(bytes: new))
        let gate = scene.origin.hold(before: 60_000)
        scene.files.answer { $0.operation == .write ? .fails(ENOSPC) : .goesOn }
        // The reader may get its first bytes only after the origin has sent the first missing byte. The gate may hold
        // that byte.
        let reader = Task { try await scene.bytes(.whole) }
        try await gate.waitForWaiters(1)
        scene.cache.finishWrites()
        gate.open()
        let isNew = try await reader.value == new
        #expect(isNew)
    }

    private static func unversioned(seed: UInt64) -> ScriptedResource {
        var resource = ScriptedResource(length: Self.length, seed: seed)
        resource.validator = nil
        return resource
    }

    private static func sweep(
        _ trouble: DiskFailure,
        _ failing: (Int) -> ClosedRange<Int>
    ) async throws {
        let all = try await Self.play(ScriptedFiles()).operations
        #expect(all > 60)
        var (degraded, refused) = (0, 0)
        // The short form tests every fortieth operation; each kind of failure starts at another
        // one.
        let first = 3 * (DiskFailure.allCases.firstIndex(of: trouble) ?? 0) + 1
        for number in stride(
            from: TestLength.short(first, long: 1),
            through: all,
            by: TestLength.short(40, long: 1)
        ) {
            let files = ScriptedFiles()
            trouble.fail(failing(number), of: files)
            let outcome = try await Self.play(files)
            #expect(outcome.isRight, "\(trouble) from operation \(number)")
            degraded += outcome.isDegraded ? 1 : 0
            refused += outcome.isRefused ? 1 : 0
            // A cache on a working disk opens the remaining files.
            let after = try await Self.play(ScriptedFiles(), folder: outcome.folder)
            #expect(after.isRight && !after.isRefused, "after \(trouble) from operation \(number)")
        }
        if trouble == .noSpace || trouble == .broken { #expect(degraded + refused > 0) }
    }

    private struct Outcome {
        var operations = 0
        var isRight = true
        /// Whether the observer heard that the cache is degraded.
        var isDegraded = false
        /// Whether the directory could not be opened; the user then plays without a cache.
        var isRefused = false
        let folder: TemporaryDirectory
    }

    /// Plays parts and the whole file; does so again after a restart, and then changes the file.
    private static func play(
        _ files: ScriptedFiles,
        folder: TemporaryDirectory = TemporaryDirectory()
    ) async throws -> Outcome {
        var outcome = Outcome(folder: folder)
        let isDegraded = Mutex(false)
        let origin = ScriptedSource(ScriptedResource(length: Self.length, seed: 1))
        for run in 0..<2 {
            let cache: Cache
            do {
                cache = try Cache(
                    directory: folder.path,
                    limits: CacheLimits(byteCount: 1 << 20),
                    observer: { event in
                        if case .cacheDegraded = event { isDegraded.withLock { $0 = true } }
                    },
                    files: files
                )
            } catch {
                outcome.isRefused = true
                continue
            }
            let source = CachedSource(
                origin: origin,
                key: LoaderScene.key,
                cache: cache,
                policy: LoadPolicy(
                    readAhead: 64 << 10,
                    maximumChunk: 64 << 10,
                    revalidation: .always
                )
            )
            for range in [100_000..<150_000, 0..<20_000, 0..<Self.length] as [Range<Int64>] {
                outcome.isRight = try await Self.isRight(source, range, seed: 1) && outcome.isRight
            }
            if run == 1 {
                origin.replace(with: ScriptedResource(length: Self.newLength, seed: 2))
                let isRight = try await Self.isRightOnceTold(source)
                outcome.isRight = isRight && outcome.isRight
            }
            await source.close()
            cache.close()
        }
        outcome.operations = files.count
        outcome.isDegraded = isDegraded.withLock { $0 }
        return outcome
    }

    /// Checks the new version.
    ///
    /// A reader may join a running request for the old version; it fails with `changed`, and a
    /// second read succeeds.
    private static func isRightOnceTold(_ source: CachedSource) async throws -> Bool {
        let range: Range<Int64> = 0..<Self.newLength
        do {
            return try await Self.isRight(source, range, seed: 2)
        } catch let error as SourceError where error.code == .changed {
            return try await Self.isRight(source, range, seed: 2)
        }
    }

    private static func isRight(
        _ source: CachedSource,
        _ range: Range<Int64>,
        seed: UInt64
    ) async throws -> Bool {
        var bytes: [UInt8] = []
        while bytes.count < range.count {
            let rest = range.lowerBound + Int64(bytes.count)..<range.upperBound
            for try await chunk in try await source.read(.span(rest)) {
                // If the disk can no longer give the chunk's bytes, the test requests them again,
                // as a player does after a lost connection.
                guard let piece = try? chunk.bytes() else { break }
                bytes += piece
            }
        }
        return bytes == PatternBytes.bytes(in: range, seed: seed)
    }
}
