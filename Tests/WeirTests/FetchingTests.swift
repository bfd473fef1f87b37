// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("Fetching a whole medium, with a progress", .timeLimit(.minutes(1)))
struct FetchingTests {
    private static let length: Int64 = 300_000
    private static let bytes = Data(PatternBytes.bytes(in: 0..<Self.length))

    private let folder = TemporaryDirectory()

    private func library() throws -> MediaLibrary {
        try MediaLibrary(directory: URL(filePath: self.folder.path(of: "cache")))
    }

    private var file: URL { URL(filePath: self.folder.path(of: "copy")) }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.folder.path).sorted()
    }

    @Test("an export reports its written bytes, and its end")
    func export() async throws {
        let library = try self.library()
        let source = ScriptedSource(length: Self.length)
        let gate = source.hold(before: 100_000)
        let media = library.media(source, identifiedBy: "a")
        let progress = Progress(totalUnitCount: -1)
        #expect(progress.isIndeterminate)
        let export = Task { try await media.export(to: self.file, progress: progress) }
        try await gate.waitForWaiters(1)
        while progress.completedUnitCount < 100_000 { await Task.yield() }
        #expect(progress.totalUnitCount == Self.length && progress.completedUnitCount == 100_000)
        gate.open()
        #expect(try await export.value == Self.length)
        #expect(progress.isFinished && progress.completedUnitCount == Self.length)
        #expect(try Data(contentsOf: self.file) == Self.bytes)
        // The second export copies from the cache alone.
        let second = Progress(totalUnitCount: -1)
        #expect(try await media.export(to: self.file, progress: second) == Self.length)
        #expect(second.isFinished && second.totalUnitCount == Self.length)
        await library.close()
    }

    @Test("an export without a known length is indeterminate until its end")
    func unknownLength() async throws {
        let library = try self.library()
        var resource = ScriptedResource(length: Self.length)
        resource.isLengthKnown = false
        let source = ScriptedSource(resource)
        let gate = source.hold(before: 100_000)
        let media = library.media(source, identifiedBy: "a")
        let progress = Progress(totalUnitCount: -1)
        let export = Task { try await media.export(to: self.file, progress: progress) }
        try await gate.waitForWaiters(1)
        while progress.completedUnitCount < 100_000 { await Task.yield() }
        #expect(progress.isIndeterminate && progress.totalUnitCount == -1)
        gate.open()
        #expect(try await export.value == Self.length)
        #expect(progress.isFinished && progress.totalUnitCount == Self.length)
        await library.close()
    }

    @Test("a cancelled progress cancels the export, which leaves no file")
    func cancelledExport() async throws {
        let library = try self.library()
        let source = ScriptedSource(length: Self.length)
        let gate = source.hold(before: 100_000)
        let media = library.media(source, identifiedBy: "a")
        let progress = Progress(totalUnitCount: -1)
        let callCount = Mutex(0)
        progress.cancellationHandler = { callCount.withLock { $0 += 1 } }
        let export = Task { try await media.export(to: self.file, progress: progress) }
        try await gate.waitForWaiters(1)
        progress.cancel()
        await #expect(throws: CancellationError.self) { try await export.value }
        #expect(callCount.withLock { $0 } == 1)
        #expect(try self.names() == ["cache"])
        // An export whose progress is already cancelled does not begin.
        await #expect(throws: CancellationError.self) {
            try await media.export(to: self.file, progress: progress)
        }
        #expect(source.log.readings.count == 1)
        gate.open()
        await library.close()
    }

    @Test("a cancelled task cancels the export, too")
    func cancelledTask() async throws {
        let library = try self.library()
        let source = ScriptedSource(length: Self.length)
        let gate = source.hold(before: 100_000)
        let media = library.media(source, identifiedBy: "a")
        let export = Task {
            try await media.export(to: self.file, progress: Progress(totalUnitCount: -1))
        }
        try await gate.waitForWaiters(1)
        export.cancel()
        await #expect(throws: CancellationError.self) { try await export.value }
        #expect(try self.names() == ["cache"])
        gate.open()
        await library.close()
    }

    @Test("a fetch brings the missing bytes once, over a restart, and counts the bytes held before")
    func fetch() async throws {
        let source = ScriptedSource(length: Self.length)
        do {
            let library = try self.library()
            let media = library.media(source, identifiedBy: "a")
            _ = try await media.data(in: 50_000..<100_000)
            _ = try await media.data(in: 200_000..<250_000)
            await library.close()
        }
        let held = source.log.byteCount
        let library = try self.library()
        let media = library.media(source, identifiedBy: "a")
        let gate = source.hold(before: 150_000)
        let progress = Progress(totalUnitCount: -1)
        let fetch = Task { try await media.fetch(progress: progress) }
        try await gate.waitForWaiters(1)
        while progress.completedUnitCount < held + 100_000 { await Task.yield() }
        #expect(progress.totalUnitCount == Self.length)
        gate.open()
        try await fetch.value
        #expect(progress.isFinished && progress.completedUnitCount == Self.length)
        #expect(media.availability.isComplete && source.log.repeatedByteCount == 0)
        // The cache holds all bytes already.
        let count = source.log.readings.count
        let second = Progress(totalUnitCount: -1)
        try await media.fetch(progress: second)
        #expect(second.isFinished && source.log.readings.count == count)
        await library.close()
    }

    @Test("a cancelled fetch keeps the received bytes")
    func cancelledFetch() async throws {
        let library = try self.library()
        let source = ScriptedSource(length: Self.length)
        let gate = source.hold(before: 100_000)
        let media = library.media(source, identifiedBy: "a")
        let progress = Progress(totalUnitCount: -1)
        let fetch = Task { try await media.fetch(progress: progress) }
        try await gate.waitForWaiters(1)
        while progress.completedUnitCount < 100_000 { await Task.yield() }
        progress.cancel()
        await #expect(throws: CancellationError.self) { try await fetch.value }
        #expect(media.availability.held == RangeSet(0..<100_000))
        gate.open()
        await library.close()
    }

    @Test("an empty medium, and a file of this machine, are complete already")
    func nothingToFetch() async throws {
        let library = try self.library()
        let empty = library.media(ScriptedSource(length: 0), identifiedBy: "empty")
        try Self.bytes.write(to: self.file)
        let local = library.media(self.file)
        for (media, count) in [(empty, 1), (local, Self.length)] {
            let progress = Progress(totalUnitCount: -1)
            try await media.fetch(progress: progress)
            #expect(progress.isFinished && progress.completedUnitCount == count)
        }
        let progress = Progress(totalUnitCount: -1)
        #expect(try await empty.export(to: self.file, progress: progress) == 0)
        #expect(progress.isFinished)
        await library.close()
    }

    @Test("a fetch of a medium that must not be stored says that it was not kept")
    func forbidden() async throws {
        let library = try self.library()
        var resource = ScriptedResource(length: Self.length)
        resource.cacheDirectives = CacheDirectives(forbidsStoring: true, freshness: nil)
        let media = library.media(ScriptedSource(resource), identifiedBy: "a")
        let error = await #expect(throws: SourceError.self) { try await media.fetch() }
        #expect(error?.code == .cacheFailed)
        await library.close()
    }
}
