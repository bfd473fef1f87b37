// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing

@Suite("The player of the stub", .timeLimit(.minutes(1)))
struct StubPlayerTests {
    @Test("a film with its index first is played with one request after the probe")
    func indexInFront() async throws {
        let film = try StubFixture.indexInFront
        for portion in [1, 7, 1_000, 1 << 20] {
            let (asset, item) = try await play(film, portion: portion)
            #expect(
                asset.stubLog.shapes == [
                    StubShape(0, 2, toEnd: false, asks: true),
                    StubShape(0, film.count, toEnd: true),
                ]
            )
            #expect(item.stubSampleCounts.count == 2 && item.stubSampleCounts[0] == 30)
            #expect(asset.stubLog.bytesDelivered == Int64(film.count + 2))
        }
    }

    @Test("a film with its index last is played from its head, its tail and its media")
    func indexBehind() async throws {
        let film = try StubFixture.indexBehind
        let media = try StubFixture.box("mdat", of: film)
        for portion in [1, 7, 1_000, 1 << 20] {
            let (asset, item) = try await play(film, portion: portion)
            #expect(
                asset.stubLog.shapes == [
                    StubShape(0, 2, toEnd: false, asks: true),
                    StubShape(0, film.count, toEnd: true),
                    StubShape(media.upperBound, film.count - media.upperBound, toEnd: true),
                    StubShape(media.lowerBound, film.count - media.lowerBound, toEnd: true),
                ]
            )
            if portion == 1 { #expect(asset.stubLog.requests[1].end == .cancelled) }
            #expect(item.stubSampleCounts.count == 2)
        }
    }

    @Test("the consumed bytes are the bytes of the film")
    func keepsBytes() async throws {
        let film = try StubFixture.indexBehind
        let (_, item) = try await play(film, portion: 333) { $0.keepsBytes = true }
        #expect(item.stubKeptBytes.count > 10)
        for (offset, data) in item.stubKeptBytes {
            #expect(film[Int(offset)..<Int(offset) + data.count] == data)
        }
    }

    @Test("a resource without boxes is played from the first byte to the last")
    func plain() async throws {
        let asset = try ArrayDelegate(StubFixture.noise(9_000), type: .mp3).asset()
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        try await expectEnd(of: item)
        await asset.stubLog.waitUntilIdle()
        #expect(asset.stubLog.shapes.last == StubShape(0, 9_000, toEnd: true))
        #expect(item.stubPlayhead == 9_000)
    }

    @Test("an item is ready before it plays, and plays only after play()")
    func ready() async throws {
        let asset = try ArrayDelegate(try StubFixture.indexInFront).asset()
        let item = AVPlayerItem(asset: asset)
        #expect(item.status == .unknown)
        let player = AVPlayer(playerItem: item)
        #expect(await item.stubReadiness() == .readyToPlay)
        await asset.stubLog.waitUntilIdle()
        #expect(item.status == .readyToPlay && item.error == nil)
        player.play()
        try await expectEnd(of: item)
        #expect(player.rate == 0)
    }

    @Test("the end of an item is posted with the item")
    func postsEnd() async throws {
        let item = AVPlayerItem(asset: try ArrayDelegate(try StubFixture.indexInFront).asset())
        let posted = Posted(AVPlayerItem.didPlayToEndTimeNotification, of: item)
        let player = AVPlayer(playerItem: item)
        player.play()
        await posted.wait()
        withExtendedLifetime(player) {}
    }

    @Test("a failure is posted with the item")
    func postsFailure() async throws {
        let item = AVPlayerItem(url: try #require(URL(string: "weir-stub://nobody")))
        let posted = Posted(AVPlayerItem.failedToPlayToEndTimeNotification, of: item)
        let player = AVPlayer(playerItem: item)
        await posted.wait()
        withExtendedLifetime(player) {}
    }

    @Test("a player cancels at its window, and asks on from there when it has consumed enough")
    func window() async throws {
        let film = try StubFixture.indexInFront
        let start = try StubFixture.box("mdat", of: film).lowerBound
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let item = AVPlayerItem(asset: asset)
        item.stubPacing.window = 4_000
        item.stubPacing.pace = .granted
        let player = AVPlayer(playerItem: item)
        player.play()
        await delegate.answerProbe(length: film.count)
        await delegate.next().dataRequest?.respond(with: film.prefix(start + 5_000))
        #expect(await delegate.nextCancellation())
        // The player asks again when half the window is left.
        item.stubGrant(2_999)
        item.stubGrant(1)
        let second = await delegate.next()
        #expect(second.dataRequest?.requestedOffset == Int64(start + 5_000))
        second.dataRequest?.respond(with: film[(start + 5_000)..<(start + 8_000)])
        #expect(await delegate.nextCancellation())
        item.stubGrant(3_000)
        let third = await delegate.next()
        #expect(third.dataRequest?.requestedOffset == Int64(start + 8_000))
        #expect(third.dataRequest?.requestedLength == film.count - start - 8_000)
        third.dataRequest?.respond(with: film[(start + 8_000)...])
        third.finishLoading()
        item.stubGrant(.max / 2)
        try await expectEnd(of: item)
        #expect(asset.stubLog.requests.map(\.toEnd) == [false, true, true, true])
        #expect(asset.stubLog.bytesDelivered == Int64(film.count) + 2)
        #expect(asset.stubLog.violations.isEmpty)
    }

    @Test("a seek cancels the running request and asks from the offset", arguments: [true, false])
    func seek(_ byTime: Bool) async throws {
        let film = try StubFixture.indexInFront
        let media = try StubFixture.box("mdat", of: film)
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        await delegate.answerProbe(length: film.count)
        let first = await delegate.next()
        first.dataRequest?.respond(with: film.prefix(media.lowerBound + 500))
        #expect(await item.stubReadiness() == .readyToPlay)
        let offset: Int
        if byTime {
            player.seek(to: CMTime(value: 1, timescale: 1))
            #expect(await delegate.nextCancellation())
            offset = Int(try #require(await delegate.next().dataRequest).requestedOffset)
            #expect(abs(offset - (media.lowerBound + media.count / 2)) < media.count / 10)
            return
        }
        offset = media.upperBound - 3_000
        player.stubSeek(toByte: Int64(offset))
        #expect(await delegate.nextCancellation())
        let second = await delegate.next()
        #expect(second.dataRequest?.requestedOffset == Int64(offset))
        #expect(second.dataRequest?.requestsAllDataToEndOfResource == true)
        second.dataRequest?.respond(with: film[offset...])
        second.finishLoading()
        try await expectEnd(of: item)
        #expect(asset.stubLog.violations.isEmpty)
    }

    @Test("a seek can leave the earlier request alive")
    func seekLeaves() async throws {
        let film = try StubFixture.indexInFront
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let item = AVPlayerItem(asset: asset)
        item.stubPacing.leavesRequestOnSeek = true
        let player = AVPlayer(playerItem: item)
        player.play()
        await delegate.answerProbe(length: film.count)
        let first = await delegate.next()
        first.dataRequest?.respond(with: film.prefix(5_000))
        #expect(await item.stubReadiness() == .readyToPlay)
        player.stubSeek(toByte: 10_000)
        let second = await delegate.next()
        #expect(asset.stubLog.runningCount == 2 && !first.isCancelled)
        first.dataRequest?.respond(with: film[5_000...])
        first.finishLoading()
        second.dataRequest?.respond(with: film[10_000...])
        second.finishLoading()
        try await expectEnd(of: item)
        #expect(asset.stubLog.violations.isEmpty && delegate.cancellationCount == 0)
    }

    @Test("an item can be played again after its end")
    func again() async throws {
        let film = try StubFixture.indexInFront
        let (asset, item) = try await play(film, portion: 1_000)
        let player = AVPlayer(playerItem: item)
        player.play()
        item.stubSeek(toByte: 0)
        await asset.stubLog.wait { $0.requests.count == 3 }
        try await expectEnd(of: item)
    }

    @Test("the requests of a replaced item are not cancelled")
    func replaced() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        await delegate.answerProbe(length: 5_000)
        let whole = await delegate.next()
        let other = AVPlayerItem(asset: try ArrayDelegate(try StubFixture.indexInFront).asset())
        player.replaceCurrentItem(with: other)
        player.play()
        try await expectEnd(of: other)
        #expect(!whole.isCancelled && delegate.cancellationCount == 0)
        #expect(asset.stubLog.runningCount == 1)
        #expect(player.currentItem === other)
    }

    @Test("a queue plays its items in order, and cancels nothing when it advances")
    func queue() async throws {
        let delegate = HandDelegate()
        let items = [
            AVPlayerItem(asset: try ArrayDelegate(try StubFixture.indexInFront).asset()),
            AVPlayerItem(asset: try delegate.asset()),
            AVPlayerItem(asset: try ArrayDelegate(try StubFixture.indexBehind).asset()),
        ]
        let player = AVQueuePlayer(items: Array(items.prefix(2)))
        #expect(player.canInsert(items[2], after: nil) && !player.canInsert(items[0], after: nil))
        player.insert(items[2], after: items[1])
        player.play()
        try await expectEnd(of: items[0])
        await delegate.answerProbe(length: 5_000)
        let whole = await delegate.next()
        #expect(player.items().count == 2)
        player.advanceToNextItem()
        try await expectEnd(of: items[2])
        #expect(!whole.isCancelled)
    }

    @Test("a looper plays copies that share the asset")
    func looper() async throws {
        let asset = try ArrayDelegate(try StubFixture.indexInFront).asset()
        let player = AVQueuePlayer()
        let looper = AVPlayerLooper(player: player, templateItem: AVPlayerItem(asset: asset))
        #expect(looper.loopingPlayerItems.count == 3)
        player.play()
        await looper.stubWait(forLoops: 4)
        looper.disableLooping()
        #expect(looper.loopCount >= 4 && looper.status == .cancelled)
        let asked = asset.stubLog.shapes.filter(\.asks)
        #expect(asked.count == 1)
        #expect(asset.stubLog.violations.isEmpty)
    }

    @MainActor
    @Test("a copy of an item has the same asset")
    func copies() throws {
        let asset = try HandDelegate().asset()
        let item = AVPlayerItem(asset: asset)
        let copy = try #require(item.copy() as? AVPlayerItem)
        #expect(copy !== item && copy.asset === asset && item.asset === asset)
        #expect(asset.copy() as? AVURLAsset === asset)
    }

    /// Plays a film to its end.
    private func play(
        _ film: Data,
        portion: Int,
        pacing: (inout StubPacing) -> Void = { _ in }
    ) async throws -> (AVURLAsset, AVPlayerItem) {
        let asset = try ArrayDelegate(film, portion: portion).asset()
        let item = AVPlayerItem(asset: asset)
        pacing(&item.stubPacing)
        let player = AVPlayer(playerItem: item)
        player.play()
        try await expectEnd(of: item)
        await asset.stubLog.waitUntilIdle()
        #expect(asset.stubLog.violations.isEmpty)
        return (asset, item)
    }

    private func expectEnd(
        of item: AVPlayerItem,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        if case .failed(let error) = await item.stubOutcome() {
            Issue.record(error, sourceLocation: location)
        }
    }
}

// Sendable: the stream is Sendable, and the token is only passed back.

/// A notification of an item that a test waits for.
private final class Posted: @unchecked Sendable {
    private let stream: AsyncStream<Void>
    private let token: any NSObjectProtocol

    init(_ name: NSNotification.Name, of item: AVPlayerItem) {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        self.stream = stream
        token = NotificationCenter.default.addObserver(forName: name, object: item, queue: nil) {
            _ in continuation.yield()
        }
    }

    deinit {
        NotificationCenter.default.removeObserver(token)
    }

    func wait() async {
        for await _ in stream { return }
    }
}
#endif
