// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import NIOCore
import NIOPosix
import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirSharing
@testable import WeirSharingSocket

@Suite("A process gets access to a cache directory, or works without it", .timeLimit(.minutes(1)))
struct CacheAccessTests {
    private static let length: Int64 = 3 << 20
    private static func resource(seed: UInt64 = 1) -> ScriptedResource {
        ScriptedResource(length: Self.length, seed: seed)
    }
    private static let expected = ReadBytes(PatternBytes.bytes(in: 0..<length))

    @Test("a command to an owner that hangs ends with an error")
    func hangingCommand() async throws {
        let clock = ManualClock()
        let scene = try await SharingScene(Self.resource(), clock: clock)
        _ = try await SharingScene.bytes(scene.source, .span(0..<10))
        await scene.source.close()
        let unsilence = try await scene.silenceOwner()
        let time = Self.movingTime(of: clock, by: .seconds(10))
        await #expect(throws: CacheError.self) { _ = try await scene.user.perform(.list) }
        time.cancel()
        await unsilence()
        await scene.close()
    }

    @Test("a library that is dropped releases the directory")
    func dropped() async throws {
        let folder = TemporaryDirectory()
        for _ in 0..<3 {
            try await Self.own(folder.path)
            // Its running work releases the lock, a moment after the access was dropped.
            await Self.waitForLock(of: folder.path)
        }
        let last = try SharingScene.access(folder.path)
        let origin = ScriptedSource(Self.resource())
        #expect(try await SharingScene.bytes(SharingScene.source(origin, last)) == Self.expected)
        #expect(last.owner != nil)
        await last.close()
    }

    /// Opens a directory, uses it as its owner, and drops it.
    private static func own(_ path: String) async throws {
        let access = try SharingScene.access(path)
        _ = try await access.perform(.list)
        #expect(access.owner != nil)
    }

    /// Returns when no process holds the lock of a directory.
    private static func waitForLock(of path: String) async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                let lock = open("\(path)/lock", O_RDWR)
                flock(lock, LOCK_EX)
                close(lock)
                continuation.resume()
            }
        }
    }

    @Test("only the directory's user may connect")
    func mode() async throws {
        let scene = try await SharingScene(Self.resource())
        _ = try await SharingScene.bytes(scene.source, .span(0..<10))
        let path = "\(scene.folder.path)/\(SocketPlace.fileName)"
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.type] as? FileAttributeType == .typeSocket)
        await scene.close()
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("a directory with a long name can be shared, too")
    func longName() async throws {
        let folder = TemporaryDirectory()
        let path = "\(folder.path)/\(String(repeating: "deep/", count: 30))cache"
        let owner = try SharingScene.access(path)
        let user = try SharingScene.access(path)
        let origin = ScriptedSource(Self.resource())
        #expect(try await SharingScene.bytes(SharingScene.source(origin, user)) == Self.expected)
        #expect(user.owner == nil)
        await user.close()
        await owner.close()
    }

    @Test("nonsense on the socket does no harm")
    func nonsense() async throws {
        let scene = try await SharingScene(Self.resource())
        let path = try #require(scene.socket?.place.path)
        var generator = SeededGenerator(seed: 7)
        // The owner can answer from now on.
        _ = try await scene.user.perform(.list)
        for round in 0..<40 {
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .connect(unixDomainSocketPath: path).get()
            let bytes = (0..<Int.random(in: 1...300, using: &generator)).map { index in
                index == 0 ? UInt8(round % 4) : UInt8.random(in: 0...255, using: &generator)
            }
            try? await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get()
            try? await channel.close()
        }
        let strange = try await scene.user.address.connect()
        try await strange.send(.alive)
        await #expect(throws: CacheError.self) { _ = try await strange.answer() }
        #expect(try await SharingScene.bytes(scene.source) == Self.expected)
        await scene.close()
    }

    @Test("a user does without an owner that does not answer, with one warning")
    func silent() async throws {
        let clock = ManualClock()
        let scene = try await SharingScene(Self.resource(), clock: clock)
        _ = try await SharingScene.bytes(scene.source, .span(0..<10))
        let unsilence = try await scene.silenceOwner()
        let time = Self.movingTime(of: clock, by: .seconds(5))
        #expect(try await SharingScene.bytes(scene.source) == Self.expected)
        time.cancel()
        #expect(scene.events.degradations.count == 1)
        await unsilence()
        await scene.close()
    }

    @Test(
        "a lock without a socket is tried again after pauses, and in the end the user works without it"
    )
    func lockWithoutSocket() async throws {
        let folder = TemporaryDirectory()
        let holder = try Cache(directory: folder.path)
        let (clock, events) = (ManualClock(), SharingScene.Events())
        let access = try SharingScene.access(folder.path, events, clock: clock)
        let source = SharingScene.source(ScriptedSource(Self.resource()), access)
        async let bytes = SharingScene.bytes(source)
        await clock.waitForSleepers(1)
        #expect(clock.remainingSleeps == [.milliseconds(25)])
        #expect(events.degradations.isEmpty)
        let time = Self.movingTime(of: clock, by: .milliseconds(400))
        #expect(try await bytes == Self.expected)
        time.cancel()
        #expect(events.degradations.count == 1)
        #expect(access.owner == nil)
        await access.close()
        holder.close()
    }

    @Test("a lock that becomes free is taken with the next attempt")
    func lockBecomesFree() async throws {
        let folder = TemporaryDirectory()
        let holder = try Cache(directory: folder.path)
        let (clock, events) = (ManualClock(), SharingScene.Events())
        let access = try SharingScene.access(folder.path, events, clock: clock)
        let source = SharingScene.source(ScriptedSource(Self.resource()), access)
        async let bytes = SharingScene.bytes(source)
        await clock.waitForSleepers(1)
        holder.close()
        clock.advance(by: .milliseconds(25))
        #expect(try await bytes == Self.expected)
        #expect(access.owner != nil)
        #expect(events.degradations.isEmpty)
        await access.close()
    }

    @Test("a call that looks for an owner ends at once when the access is closed")
    func closedWhileOpening() async throws {
        let folder = TemporaryDirectory()
        let holder = try Cache(directory: folder.path)
        let clock = ManualClock()
        let access = try SharingScene.access(folder.path, clock: clock)
        let list = Task { try await access.perform(.list) }
        await clock.waitForSleepers(1)
        await access.close()
        await #expect {
            _ = try await list.value
        } throws: { ($0 as? CacheError)?.code == .closed }
        holder.close()
    }

    @Test(
        "after a disk failure on opening the directory, a process works without it, and tries again"
    )
    func failingDisk() async throws {
        let folder = TemporaryDirectory()
        await (try SharingScene.access(folder.path)).close()
        // A directory in place of the lock file: no process can open it.
        let lock = "\(folder.path)/lock"
        try FileManager.default.removeItem(atPath: lock)
        try FileManager.default.createDirectory(atPath: lock, withIntermediateDirectories: false)
        let events = SharingScene.Events()
        let clock = ManualClock()
        let access = try SharingScene.access(folder.path, events, clock: clock)
        let origin = ScriptedSource(Self.resource())
        let source = SharingScene.source(origin, access)
        #expect(try await SharingScene.bytes(source) == Self.expected)
        #expect(access.owner == nil)
        #expect(events.degradations.count == 1)
        await #expect(throws: CacheError.self) { _ = try await access.perform(.list) }
        try FileManager.default.removeItem(atPath: lock)
        clock.advance(by: SharingScene.pause + .milliseconds(1))
        #expect(try await SharingScene.bytes(source) == Self.expected)
        #expect(access.owner != nil)
        #expect(events.degradations.count == 1)
        #expect(try await SharingScene.bytes(source) == Self.expected)
        #expect(origin.log.byteCount == 2 * Self.length)
        await access.close()
    }

    @Test("a removed directory is created again and used, and readers of the old one may finish")
    func removedDirectory() async throws {
        let scene = try await SharingScene(Self.resource())
        let events = SharingScene.Events()
        let folder = TemporaryDirectory()
        let access = try SharingScene.access(folder.path, events)
        let source = SharingScene.source(scene.origin, access)
        let gate = scene.origin.hold(before: 1 << 20)
        async let early = SharingScene.bytes(source)
        try await gate.waitForWaiters(1)
        try FileManager.default.removeItem(atPath: folder.path)
        gate.open()
        #expect(try await early == Self.expected)
        try await events.waitForDegradation()
        repeat {
            _ = try? await SharingScene.bytes(source)
        } while !source.availability.isComplete
        #expect(events.degradations.count == 1)
        let count = scene.origin.log.byteCount
        #expect(try await SharingScene.bytes(source) == Self.expected)
        #expect(scene.origin.log.byteCount == count)
        #expect(Cache.exists(inDirectory: folder.path))
        await access.close()
        await scene.close()
    }

    /// Advances a clock whenever a task sleeps on it, until the returned task is cancelled.
    private static func movingTime(of clock: ManualClock, by step: Duration) -> Task<Void, Never> {
        Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                clock.advance(by: step)
                await Task.yield()
            }
        }
    }
}
