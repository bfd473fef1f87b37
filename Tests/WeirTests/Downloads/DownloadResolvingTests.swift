// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("A closure makes the media of downloads again", .timeLimit(.minutes(1)))
struct DownloadResolvingTests {
    private struct Odd: Error { let address = "https://a.example/?token=s3cret" }

    /// A server, and a folder with downloads that an earlier run of the application left.
    ///
    /// The context of each download is the path of its address.
    private struct Restarted {
        let scene: LibraryScene
        let ids: [Download.ID]
        let paths: [String]

        init(_ count: Int) async throws {
            let scene = try await LibraryScene(ScriptedResource(length: 100_000))
            let paths = (0..<count).map { "/\($0).mp3" }
            let library = try scene.library()
            library.downloads.conditions = DownloadConditions(isConnected: false)
            var ids: [Download.ID] = []
            for path in paths {
                let media = library.media(try scene.url(path))
                ids.append(try await library.downloads.add(media, context: Data(path.utf8)))
            }
            await library.close()
            (self.scene, self.paths, self.ids) = (scene, paths, ids)
        }

        /// The medium of a download, made from the download's context.
        func media(of download: Download, in library: MediaLibrary?) throws -> Media? {
            library?.media(try self.scene.url(String(decoding: download.context, as: UTF8.self)))
        }

        /// Waits until the queue's downloads meet a condition.
        func wait(
            _ library: MediaLibrary,
            until isDue: @Sendable ([Download]) -> Bool
        ) async {
            for await list in library.downloads.snapshots() where isDue(list) { return }
            Issue.record("the snapshots ended")
        }
    }

    @Test("downloads of an earlier run are made again from their stored contexts")
    func restart() async throws {
        let restarted = try await Restarted(6)
        let library = try restarted.scene.library()
        let asked = Watched<[String]>([])
        library.downloads.resolve { [weak library] download in
            asked.update { $0.append(download.id) }
            return try restarted.media(of: download, in: library)
        }
        await restarted.wait(library) { $0.allSatisfy { $0.state == .finished } }
        #expect(asked.value.sorted() == restarted.ids.sorted())
        let contexts = try await library.downloads.all().map(\.context)
        #expect(contexts == restarted.paths.map { Data($0.utf8) })
        await library.close()
        await restarted.scene.stop()
    }

    @Test(
        "a library that does not own the folder also makes media; its failures reach the queue"
    )
    func beside() async throws {
        let restarted = try await Restarted(2)
        let owner = try restarted.scene.library()
        let user = try restarted.scene.library()
        let refusal = SourceError(.unauthorized, "Log in again.", host: "a.example", status: 401)
        user.downloads.resolve { [weak user] download in
            if download.id == restarted.ids[0] { throw refusal }
            return try restarted.media(of: download, in: user)
        }
        await restarted.wait(owner) {
            $0.map(\.state) == [.failed(refusal), .finished]
        }
        #expect(try await user.downloads.all() == owner.downloads.all())
        await user.close()
        await owner.close()
        await restarted.scene.stop()
    }

    @Test(
        "an error of the closure is the download's failure, also after a restart; a resume retries"
    )
    func throwing() async throws {
        let restarted = try await Restarted(2)
        let refusal = SourceError(.unauthorized, "Log in again.", status: 401)
        let first = try restarted.scene.library()
        let events = first.downloads.events()
        first.downloads.resolve { download in
            if download.id == restarted.ids[0] { throw refusal }
            throw Odd()
        }
        var failures: [Download.ID: SourceError] = [:]
        for await case .failed(let download, let error) in events {
            failures[download.id] = error
            if failures.count == 2 { break }
        }
        #expect(failures[restarted.ids[0]] == refusal)
        let odd = try #require(failures[restarted.ids[1]])
        #expect(odd.code == .failed && odd.cause is Odd)
        #expect(odd.message.hasPrefix("Could not make the medium of the download of http://127.0"))
        #expect(odd.message.hasSuffix(": Odd was thrown; resume the download to try again."))
        await first.close()
        let second = try restarted.scene.library()
        #expect(
            try await second.downloads.all().map(\.state) == [.failed(refusal), .failed(odd)]
        )
        let isLoggedIn = Watched(false)
        let asked = Watched(0)
        second.downloads.resolve { [weak second] download in
            asked.update { $0 += 1 }
            guard isLoggedIn.value else { throw refusal }
            return try restarted.media(of: download, in: second)
        }
        #expect(try await second.downloads.resume(restarted.ids[0]))
        try await asked.wait { $0 == 1 }
        await restarted.wait(second) { $0.first?.state == .failed(refusal) }
        isLoggedIn.update { $0 = true }
        for id in restarted.ids { #expect(try await second.downloads.resume(id)) }
        await restarted.wait(second) { $0.allSatisfy { $0.state == .finished } }
        #expect(asked.value >= 3)
        await second.close()
        await restarted.scene.stop()
    }

    @Test("a closure that returns no medium, or is cancelled, leaves its download waiting")
    func without() async throws {
        let restarted = try await Restarted(2)
        let library = try restarted.scene.library()
        let asked = Watched(0)
        library.downloads.resolve { download in
            asked.update { $0 += 1 }
            if download.id == restarted.ids[0] { throw CancellationError() }
            return nil
        }
        try await asked.wait { $0 == 2 }
        // The queue calls a new closure at once, though no download has changed.
        library.downloads.resolve { [weak library] download in
            #expect(download.state == .waiting(.source))
            return try restarted.media(of: download, in: library)
        }
        await restarted.wait(library) { $0.allSatisfy { $0.state == .finished } }
        await library.close()
        await restarted.scene.stop()
    }

    @Test("a medium that is not the download's is a failure with a message")
    func wrongMedium() async throws {
        let restarted = try await Restarted(2)
        let library = try restarted.scene.library()
        library.downloads.resolve { [weak library] download in
            let other = try restarted.scene.url("/other.mp3")
            let isFirst = download.id == restarted.ids[0]
            return library?.media(isFirst ? other : URL(filePath: "/a.mp3"))
        }
        await restarted.wait(library) { $0.allSatisfy(\.isOver) }
        for download in try await library.downloads.all() {
            guard case .failed(let error) = download.state else {
                Issue.record("\(download) has not failed")
                continue
            }
            #expect(error.code == .invalidRequest)
            #expect(error.message.contains("for the download of \(download.display), which is"))
            #expect(error.message.contains("is another medium; create the medium with the address"))
        }
        await library.close()
        await restarted.scene.stop()
    }

    @Test("closures that never return delay neither the others nor the end of the library")
    func neverReturning() async throws {
        let restarted = try await Restarted(6)
        let library = try restarted.scene.library()
        let gate = Gate()
        library.downloads.resolve { [weak library] download in
            if restarted.ids.prefix(3).contains(download.id) {
                // The closure waits in a separate task, so its own cancellation has no effect on
                // the wait.
                _ = try? await Task { try await gate.wait() }.value
            }
            return try restarted.media(of: download, in: library)
        }
        await restarted.wait(library) { $0.suffix(3).allSatisfy { $0.state == .finished } }
        try await gate.waitForWaiters(3)
        let states = try await library.downloads.all().prefix(3).map(\.state)
        #expect(states == Array(repeating: .waiting(.source), count: 3))
        await library.close()
        #expect(gate.waiterCount == 3)
        gate.open()
        await restarted.scene.stop()
    }

    @Test("a closure is cancelled when its download is removed, and when the library is closed")
    func cancellation() async throws {
        let restarted = try await Restarted(3)
        let library = try restarted.scene.library()
        let gate = Gate()
        let cancelled = Watched<Set<Download.ID>>([])
        library.downloads.resolve { download in
            do {
                try await gate.wait()
            } catch {
                cancelled.update { _ = $0.insert(download.id) }
                throw error
            }
            return nil
        }
        try await gate.waitForWaiters(3)
        #expect(try await library.downloads.remove(restarted.ids[0]))
        try await cancelled.wait { $0 == [restarted.ids[0]] }
        #expect(try await library.downloads.pause(restarted.ids[1]))
        try await cancelled.wait { $0.contains(restarted.ids[1]) }
        #expect(cancelled.value.count == 2)
        await library.close()
        try await cancelled.wait { $0 == Set(restarted.ids) }
        await restarted.scene.stop()
    }

    @Test("a closure that has run for ten seconds no longer delays the next")
    func patience() async throws {
        let clock = ManualClock()
        let resolver = DownloadResolver(timeline: Timeline(clock))
        let gate = Gate()
        let asked = Watched<[String]>([])
        resolver.use { download in
            asked.update { $0.append(download.id) }
            _ = try? await Task { try await gate.wait() }.value
            return nil
        } taker: { _, _ in
        }
        let ids = ["a", "b", "c", "d", "e"]
        let list = ids.map {
            Download(id: $0, display: $0, state: .waiting(.source), heldByteCount: 0, length: nil)
        }
        resolver.report(.listed(list, lent: [], room: .max))
        try await asked.wait { $0.count == 4 }
        await clock.waitForSleepers(4)
        clock.advance(by: ResolverMachine.patience - .milliseconds(1))
        #expect(asked.value.sorted() == ["a", "b", "c", "d"])
        clock.advance(by: .milliseconds(1))
        try await asked.wait { $0.last == "e" }
        resolver.close()
        gate.open()
    }

    @Test("a context of 1 MiB is refused with a message, and 4096 bytes are stored unchanged")
    func longContext() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 1000))
        let library = try scene.library()
        let media = library.media(try scene.url())
        for count in [1 << 20, DownloadQueue.maximumContextCount + 1] {
            let error = await #expect(throws: SourceError.self) {
                try await library.downloads.add(media, context: Data(count: count))
            }
            #expect(error?.code == .invalidRequest)
            #expect(
                error?.message
                    == "Could not add a download of \(media.display): its context has \(count) bytes,"
                    + " and 4096 are allowed; store the identifier of your own record instead."
            )
        }
        #expect(try await library.downloads.all().isEmpty)
        let context = Data((0..<4096).map { UInt8(truncatingIfNeeded: $0) })
        let id = try await library.downloads.add(media, context: context)
        #expect(try await library.downloads.download(id)?.context == context)
        try await library.downloads.add(media)
        #expect(try await library.downloads.download(id)?.context == context)
        await library.close()
        await scene.stop()
    }

    /// The file `downloads.queue` that the program of commit 66c60fc left when it was killed during
    /// a `weir get`.
    private static let formerQueue = """
        V0VJUkROTEQBAAAARKf2/WYhiFR7GxxaAU8AAAAgAAAAMDcyOTk3NTE0MTNlMDEzYTk1OGI0MWZkYzdjY2M1MmMAAAAAHwAAAGh0dH\
        A6Ly8xMjcuMC4wLjE6NDU0Mjkvc29uZy5tcDMAAAAAXBMqng==
        """

    @Test("a queue of the former format opens; its download has no context, and accepts one")
    func formerQueue() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 1000))
        let bytes = try #require(Data(base64Encoded: Self.formerQueue))
        try bytes.write(to: URL(filePath: scene.folder.path(of: "downloads.queue")))
        let first = try scene.library()
        let address = "http://127.0.0.1:45429/song.mp3"
        let former = Download(
            id: "07299751413e013a958b41fdc7ccc52c",
            display: address,
            state: .waiting(.source),
            heldByteCount: 0,
            length: nil
        )
        #expect(try await first.downloads.all() == [former])
        first.downloads.conditions = DownloadConditions(isConnected: false)
        let media = first.media(try #require(URL(string: address)))
        let context = Data("song".utf8)
        #expect(try await first.downloads.add(media, context: context) == former.id)
        await first.close()
        let second = try scene.library()
        #expect(try await second.downloads.download(former.id)?.context == context)
        await second.close()
        await scene.stop()
    }
}
