// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("One download queue for all processes of a folder", .timeLimit(.minutes(1)))
struct SharedDownloadsTests {
    private static let length: Int64 = 1 << 20
    private static let id = SharingScene.key.identifier

    /// Waits until the queue, as a process sees it, is in the wanted state.
    private static func wait(
        _ access: CacheAccess,
        until isDue: @Sendable ([DownloadStatus]) -> Bool
    ) async {
        for await list in access.downloadSnapshots() where isDue(list) { return }
        Issue.record("the snapshots ended")
    }

    @Test("another process adds, lends, lists and commands, and the owner runs the download")
    func remote() async throws {
        let scene = try await SharingScene(ScriptedResource(length: Self.length))
        let gate = scene.origin.hold(before: 500_000)
        #expect(try await scene.user.perform(downloads: .add(SharingScene.key, isPinned: true)))
        #expect(try await scene.user.downloads().map(\.state) == [.waiting(.source)])
        try await scene.source.lend()
        try await gate.waitForWaiters(1)
        await Self.wait(scene.user) { $0.first.map { $0.heldByteCount >= 400_000 } ?? false }
        #expect(try await scene.user.perform(downloads: .pause(Self.id)))
        #expect(try await scene.owner.downloads().map(\.state) == [.paused])
        #expect(try await scene.user.perform(downloads: .resume(Self.id)))
        gate.open()
        await Self.wait(scene.user) { $0.first?.state == .finished }
        #expect(scene.origin.log.byteCount <= Self.length + 200_000)
        #expect(try await !scene.user.perform(downloads: .pause("nothing")))
        #expect(
            try await scene.user.perform(downloads: .remove(Self.id, deletingBytes: true))
        )
        #expect(try await scene.user.downloads().isEmpty)
        await scene.close()
    }

    @Test("when the owner leaves, the next one reads the queue and continues")
    func takeover() async throws {
        let scene = try await SharingScene(ScriptedResource(length: Self.length))
        let gate = scene.origin.hold(before: 500_000)
        try await scene.user.perform(downloads: .add(SharingScene.key, isPinned: true))
        try await scene.source.lend()
        try await gate.waitForWaiters(1)
        let lists = scene.user.downloadSnapshots()
        await scene.owner.close()
        gate.open()
        for await list in lists {
            if list.first?.state == .waiting(.source), scene.user.owner != nil { break }
        }
        try await scene.source.lend()
        await Self.wait(scene.user) { $0.first?.state == .finished }
        #expect(scene.origin.log.repeatedByteCount <= 500_000)
        await scene.close()
    }

    @Test("a download runs while any process lends its origin, and waits after the last has left")
    func lenders() async throws {
        let scene = try await SharingScene(ScriptedResource(length: Self.length))
        let gate = scene.origin.hold(before: 500_000)
        try await scene.owner.perform(downloads: .add(SharingScene.key, isPinned: false))
        try await scene.source.lend()
        try await gate.waitForWaiters(1)
        await scene.source.close()
        await Self.wait(scene.owner) { $0.first?.state == .waiting(.source) }
        gate.open()
        let own = SharingScene.source(scene.origin, scene.owner)
        try await own.lend()
        await Self.wait(scene.owner) { $0.first?.state == .finished }
        await scene.close()
    }

    @Test(
        "the settings of a process apply in the owner, and in the process itself when it takes over"
    )
    func settings() async throws {
        let scene = try await SharingScene(ScriptedResource(length: Self.length))
        var settings = DownloadSettings()
        settings.isConnected = false
        let gate = scene.origin.hold(before: 500_000)
        scene.user.use(settings)
        try await scene.user.perform(downloads: .add(SharingScene.key, isPinned: false))
        try await scene.source.lend()
        await Self.wait(scene.user) { $0.first?.state == .waiting(.network) }
        await scene.owner.close()
        await Self.wait(scene.user) { $0.first?.state == .waiting(.source) }
        try await scene.source.lend()
        await Self.wait(scene.user) { $0.first?.state == .waiting(.network) }
        #expect(scene.user.owner != nil)
        gate.open()
        scene.user.use(DownloadSettings())
        await Self.wait(scene.user) { $0.first?.state == .finished }
        await scene.close()
    }

    @Test("no value of a header or a query is in the file")
    func secrecy() async throws {
        let scene = try await SharingScene(ScriptedResource(length: Self.length))
        let key = ResourceKey(
            location: "https://a.example/song?signature=s3cret",
            account: "me",
            display: "https://a.example/song"
        )
        try await scene.owner.perform(downloads: .add(key, isPinned: true))
        let files = PosixFiles()
        let descriptor = try files.open("\(scene.folder.path)/downloads.queue", for: .reading)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = try bytes.withUnsafeMutableBytes {
            try files.read(descriptor, into: $0, at: 0)
        }
        files.close(descriptor)
        let text = String(decoding: bytes[..<count], as: UTF8.self)
        #expect(text.contains("https://a.example/song") && !text.contains("s3cret"))
        await scene.close()
    }
}
