// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import Testing
import WeirCache
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirLoader

@Suite("Readers do not wait for the disk", .timeLimit(.minutes(1)))
struct SlowDiskTests {
    private static let length: Int64 = 2 << 20
    private static let expected = PatternBytes.bytes(in: 0..<length)

    /// A cache on a disk that performs some changes only after the gate has opened.
    private struct Scene {
        let folder = TemporaryDirectory()
        let files = ScriptedFiles()
        let origin: ScriptedSource
        let cache: Cache
        let source: CachedSource
        private let gate = DispatchSemaphore(value: 0)

        init(
            length: Int64 = SlowDiskTests.length,
            clock: any Clock<Duration> = ContinuousClock()
        ) throws {
            self.origin = ScriptedSource(ScriptedResource(length: length), chunkSize: 64 << 10)
            self.cache = try Cache(directory: self.folder.path, files: self.files)
            self.source = CachedSource(
                origin: self.origin,
                key: LoaderScene.key,
                cache: self.cache,
                clock: clock
            )
        }

        /// Holds the changes that `isHeld` accepts.
        func hold(_ isHeld: @escaping @Sendable (ScriptedFiles.Call) -> Bool) {
            self.files.answer { [gate] call in
                guard call.isChange, isHeld(call) else { return .goesOn }
                // Each operation that passes lets the next one pass.
                gate.wait()
                gate.signal()
                return .goesOn
            }
        }

        func open() { self.gate.signal() }

        func close() async {
            self.open()
            await self.source.close()
            self.cache.close()
        }
    }

    private static func bytes(_ source: CachedSource) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try await source.read(.whole) { bytes += try chunk.bytes() }
        return bytes
    }

    @Test("neither the first byte nor the last waits for a disk that performs nothing")
    func held() async throws {
        let scene = try Scene()
        scene.hold { _ in true }
        #expect(try await Self.bytes(scene.source) == Self.expected)
        // A second reader gets the same bytes, without another request.
        #expect(try await Self.bytes(scene.source) == Self.expected)
        #expect(scene.origin.log.byteCount == Self.length)
        scene.open()
        await scene.close()
        let cache = try Cache(directory: scene.folder.path)
        let after = CachedSource(origin: scene.origin, key: LoaderScene.key, cache: cache)
        #expect(try await Self.bytes(after) == Self.expected)
        #expect(scene.origin.log.byteCount == Self.length)
        await after.close()
        cache.close()
    }

    @Test(
        "no byte waits for one kind of operation that hangs",
        arguments: [
            FileFailure.Operation.createDirectory, .open, .write, .synchronize,
        ]
    )
    func one(_ operation: FileFailure.Operation) async throws {
        let scene = try Scene()
        scene.hold { $0.operation == operation }
        #expect(try await Self.bytes(scene.source) == Self.expected)
        await scene.close()
    }

    @Test("after a failed write the reader continues with the response that it has")
    func failedWrite() async throws {
        let scene = try Scene()
        scene.files.answer { call in
            call.operation == .write && call.offset >= 300_000 ? .fails(28) : .goesOn
        }
        #expect(try await Self.bytes(scene.source) == Self.expected)
        #expect(scene.origin.log.byteCount == Self.length)
        await scene.close()
    }

    @Test("on a disk that performs nothing, a long file plays again after it has ended")
    func again() async throws {
        let clock = ManualClock()
        let scene = try Scene(length: 32 << 20, clock: clock)
        scene.hold { _ in true }
        let time = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        // Nothing of it is written, so its end removes it from the cache, behind the hung disk.
        for play in Int64(1)...3 {
            let bytes = try await Self.bytes(scene.source)
            #expect(bytes == PatternBytes.bytes(in: 0..<Int64(32 << 20)))
            #expect(scene.origin.log.byteCount == play * (32 << 20))
            try await scene.source.loader.waitUntilIdle()
        }
        time.cancel()
        await scene.close()
    }

    @Test("a disk that stops in the middle of a file costs no byte, and no second request")
    func stalled() async throws {
        let clock = ManualClock()
        let scene = try Scene(length: 32 << 20, clock: clock)
        scene.hold { $0.operation == .write && $0.offset > 0 }
        let time = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(1))
                await Task.yield()
            }
        }
        let bytes = try await Self.bytes(scene.source)
        #expect(bytes.count == 32 << 20)
        #expect(bytes == PatternBytes.bytes(in: 0..<Int64(32 << 20)))
        #expect(scene.origin.log.byteCount == 32 << 20)
        time.cancel()
        await scene.close()
    }
}
