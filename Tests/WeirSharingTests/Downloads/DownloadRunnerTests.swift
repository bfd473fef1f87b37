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

@testable import WeirSharing

@Suite("The download queue of a cache folder", .timeLimit(.minutes(5)))
struct DownloadRunnerTests {
    private static let length = DownloadScene.length

    private static func origin(_ number: Int) -> ScriptedSource {
        ScriptedSource(length: Self.length, seed: UInt64(number + 1))
    }

    @Test("an added download is fetched whole, pinned, and listed; removal removes the pin")
    func whole() async throws {
        let scene = try DownloadScene()
        let origin = Self.origin(0)
        scene.lend(0, origin)
        try await scene.add(0)
        try await scene.wait(0, for: .finished)
        let status = try #require(scene.status(0))
        #expect(status.heldByteCount == Self.length && status.length == Self.length)
        #expect(origin.log.byteCount == Self.length)
        #expect(scene.owner.cache.holding(identifier: DownloadScene.id(0))?.isPinned == true)
        #expect(try await scene.queue.perform(.remove(DownloadScene.id(0), deletingBytes: false)))
        #expect(scene.queue.statuses.isEmpty)
        // The queue unpins the resource in a separate task, after the record is durable.
        while scene.owner.cache.holding(identifier: DownloadScene.id(0))?.isPinned == true {
            await Task.yield()
        }
        let holding = scene.owner.cache.holding(identifier: DownloadScene.id(0))
        #expect(holding?.heldCount == Self.length)
        await scene.owner.close()
    }

    @Test("the user's own pin remains")
    func ownPin() async throws {
        let scene = try DownloadScene()
        scene.lend(0, Self.origin(0))
        try await scene.add(0, isPinned: false)
        try await scene.wait(0, for: .finished)
        #expect(scene.owner.cache.holding(identifier: DownloadScene.id(0))?.isPinned == false)
        try scene.owner.cache.pin(identifier: DownloadScene.id(0))
        try await scene.add(0)
        try await scene.wait(0, for: .finished)
        _ = try await scene.queue.perform(.remove(DownloadScene.id(0), deletingBytes: false))
        try await scene.add(1)
        #expect(scene.owner.cache.holding(identifier: DownloadScene.id(0))?.isPinned == true)
        await scene.owner.close()
    }

    @Test("after a restart a download waits for its origin and fetches missing bytes; pauses stay")
    func restart() async throws {
        let first = try DownloadScene()
        let origin = Self.origin(0)
        let gate = origin.hold(before: 250_000)
        first.lend(0, origin)
        first.lend(1, Self.origin(1))
        try await first.add(0)
        try await gate.waitForWaiters(1)
        try await first.add(1)
        _ = try await first.queue.perform(.pause(DownloadScene.id(1)))
        _ = try await first.queue.perform(.move(DownloadScene.id(1), to: 0))
        let second = try await first.restarted()
        gate.open()
        #expect(second.queue.statuses.map(\.state) == [.paused, .waiting(.source)])
        let status = try #require(second.status(0))
        #expect(status.heldByteCount > 0 && status.length == Self.length)
        second.lend(0, origin)
        try await second.wait(0, for: .finished)
        #expect(origin.log.repeatedByteCount <= 16_384)
        #expect(second.state(1) == .paused)
        let third = try await second.restarted()
        #expect(third.queue.statuses.map(\.state) == [.paused, .finished])
        await third.owner.close()
    }

    @Test("a finished download that was removed from the cache is fetched again after a restart")
    func lost() async throws {
        let first = try DownloadScene()
        let origin = Self.origin(0)
        first.lend(0, origin)
        try await first.add(0)
        try await first.wait(0, for: .finished)
        try first.owner.cache.remove(identifier: DownloadScene.id(0))
        let second = try await first.restarted()
        #expect(second.state(0) == .waiting(.source))
        second.lend(0, origin)
        try await second.wait(0, for: .finished)
        #expect(origin.log.byteCount == 2 * Self.length)
        await second.owner.close()
    }

    @Test("a file that changes is fetched again, and no byte of the old version remains")
    func changed() async throws {
        let scene = try DownloadScene()
        let origin = Self.origin(0)
        let gate = origin.hold(before: 200_000)
        scene.lend(0, origin)
        try await scene.add(0)
        try await gate.waitForWaiters(1)
        origin.replace(with: ScriptedResource(length: 300_000, seed: 9), running: .fail)
        gate.open()
        try await scene.wait { scene.state(0) == .finished && scene.status(0)?.length == 300_000 }
        let resource = try #require(
            scene.owner.resource(SharedResource(key: DownloadScene.key(0)))
        )
        var bytes: [UInt8] = []
        for try await chunk in try await resource.cached.read(.whole) { bytes += try chunk.bytes() }
        #expect(bytes == PatternBytes.bytes(in: 0..<300_000, seed: 9))
        await scene.owner.close()
    }

    @Test("without a network a download waits, and continues after a pause where it stopped")
    func noNetwork() async throws {
        let scene = try DownloadScene()
        let origin = Self.origin(0)
        origin.fail(at: 100_000, with: SourceError(.unreachable, "No network."))
        scene.lend(0, origin)
        try await scene.add(0)
        try await scene.wait(0, for: .waiting(.network))
        let ticking = scene.passTime(by: DownloadMachine.firstPause)
        try await scene.wait(0, for: .finished)
        ticking.cancel()
        #expect(origin.log.repeatedByteCount == 0)
        await scene.owner.close()
    }

    @Test("a forbidden network stops running downloads, and an allowed one continues them")
    func conditions() async throws {
        let scene = try DownloadScene()
        let origin = Self.origin(0)
        let gate = origin.hold(before: 100_000)
        scene.lend(0, origin)
        try await scene.add(0)
        try await gate.waitForWaiters(1)
        var settings = DownloadSettings()
        (settings.isExpensive, settings.allowsExpensive) = (true, false)
        _ = try await scene.queue.perform(.set(settings))
        #expect(scene.state(0) == .waiting(.network))
        gate.open()
        settings.isExpensive = false
        _ = try await scene.queue.perform(.set(settings))
        try await scene.wait(0, for: .finished)
        await scene.owner.close()
    }

    @Test(
        "a download that the origin refuses has failed with its message, until the user resumes it"
    )
    func refused() async throws {
        let scene = try DownloadScene()
        let origin = Self.origin(0)
        origin.refuse(with: SourceError(.unauthorized, "Log in again."))
        scene.lend(0, origin)
        try await scene.add(0)
        let failure = SourceError(.unauthorized, "Log in again.")
        try await scene.wait(0, for: .failed(failure))
        let next = try await scene.restarted()
        #expect(next.state(0) == .failed(failure))
        next.lend(0, origin)
        #expect(next.state(0) == .failed(failure))
        _ = try await next.queue.perform(.resume(DownloadScene.id(0)))
        try await next.wait(0, for: .finished)
        await next.owner.close()
    }

    @Test("with a full disk a download waits for room, and fetches no held byte twice")
    func fullDisk() async throws {
        let scene = try DownloadScene()
        let origin = Self.origin(0)
        let gate = origin.hold(before: 200_000)
        scene.lend(0, origin)
        try await scene.add(0)
        try await gate.waitForWaiters(1)
        scene.owner.cache.finishWrites()
        scene.files.answer { call in
            call.operation == .write && call.name.hasSuffix(".data") ? .fails(ENOSPC) : .goesOn
        }
        gate.open()
        try await scene.wait(0, for: .waiting(.space))
        let held = try #require(scene.status(0)).heldByteCount
        #expect(held >= 100_000 && held <= 200_000)
        scene.files.heal()
        let ticking = scene.passTime(by: DownloadMachine.spacePause)
        try await scene.wait(0, for: .finished)
        ticking.cancel()
        // Each time the download began again meanwhile, it continued behind the held bytes.
        let begun = origin.log.demands.dropFirst()
        #expect(!begun.isEmpty)
        #expect(begun.allSatisfy { ($0.range.knownLowerBound ?? 0) >= held })
        await scene.owner.close()
    }

    @Test("a change is durable when its call returns, even while other tasks change the queue")
    func durableAmongOthers() async throws {
        let folder = TemporaryDirectory()
        let files = ScriptedFiles()
        // A kill leaves the written bytes; another test checks that they are durable.
        files.answer { $0.operation == .synchronize ? .skips : .goesOn }
        for round in 0..<100 {
            let scene = try DownloadScene(folder, files)
            if round == 0 { for number in 0..<3 { try await scene.add(number) } }
            // Performs pending effects whenever no other task performs them.
            let other = Task.detached {
                for move in 0..<100 {
                    scene.queue.report(.moved(DownloadScene.id(2), to: move % 2))
                }
            }
            let isPaused = round % 2 == 0
            let id = DownloadScene.id(0)
            _ = try await scene.queue.perform(isPaused ? .pause(id) : .resume(id))
            scene.queue.stop()
            await other.value
            let next = try await scene.restarted(isKilled: true)
            #expect(next.state(0) == (isPaused ? .paused : .waiting(.source)), "round \(round)")
            await next.owner.close()
        }
    }

    @Test("a download that cannot be stored is not added, and the error says why")
    func notWritable() async throws {
        let scene = try DownloadScene()
        scene.files.fail(.write, "downloads.queue.new", with: ENOSPC)
        let error = await #expect(throws: CacheError.self) { try await scene.add(0) }
        #expect(error?.code == .full)
        #expect(scene.queue.statuses.isEmpty)
        scene.files.heal()
        try await scene.add(0)
        #expect(try await scene.restarted().state(0) == .waiting(.source))
    }

    @Test("a thousand downloads: in their order, two at a time, each byte once, over two restarts")
    func thousand() async throws {
        let count = 1000
        let length: Int64 = 3000
        let files = ScriptedFiles()
        // A kill leaves the written bytes; another test checks that they are durable.
        files.answer { $0.operation == .synchronize ? .skips : .goesOn }
        var scene = try DownloadScene(TemporaryDirectory(), files)
        let origins = (0..<count).map { ScriptedSource(length: length, seed: UInt64($0)) }
        let gates = [300, 700].map { origins[$0].hold(before: 1000) }
        for number in 0..<count { try await scene.add(number) }
        for (round, gate) in gates.enumerated() {
            for number in 0..<count { scene.lend(number, origins[number]) }
            try await gate.waitForWaiters(1)
            scene = try await scene.restarted(isKilled: true)
            gate.open()
            let finished = scene.queue.statuses.count { $0.state == .finished }
            #expect(finished >= [300, 700][round] - 1 && finished < count)
            #expect(scene.queue.statuses.map(\.id) == (0..<count).map(DownloadScene.id))
        }
        for number in 0..<count { scene.lend(number, origins[number]) }
        for number in (0..<count).reversed() { try await scene.wait(number, for: .finished) }
        let repeated = origins.reduce(0) { $0 + $1.log.repeatedByteCount }
        #expect(repeated <= 4 * length)
        for status in scene.queue.statuses { #expect(status.heldByteCount == length) }
        await scene.owner.close()
    }

    @Test("a damaged file of the queue is put aside with a message, and the cache plays on")
    func damaged() async throws {
        let folder = TemporaryDirectory()
        try Data("nonsense".utf8).write(to: URL(filePath: folder.path(of: "downloads.queue")))
        let scene = try DownloadScene(folder)
        let reasons = scene.events.value.compactMap { event -> String? in
            if case .downloadsUnreadable(let reason) = event { reason } else { nil }
        }
        #expect(reasons.count == 1)
        scene.lend(0, Self.origin(0))
        try await scene.add(0)
        try await scene.wait(0, for: .finished)
        await scene.owner.close()
    }
}
