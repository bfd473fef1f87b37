// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing
import WeirAVFoundation
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

/// Tests the Apple part against stubs that behave as Apple's classes are known to behave.
@MainActor
@Suite("A player of AVFoundation", .timeLimit(.minutes(1)))
struct PlaybackTests {
    @Test(
        "plays a real film to its end, wherever its index is",
        arguments: [Movie.indexBehind, .indexInFront, .large]
    )
    func film(_ movie: Movie) async throws {
        let origin = try movie.origin()
        let asset = try await AVURLAsset(media: TypedSource(origin))
        #expect(asset.url.pathExtension == "mp4")
        #expect(asset.url.scheme == "weir-media")
        let item = AVPlayerItem(asset: asset)
        var pacing = StubPacing()
        pacing.keepsBytes = true
        item.stubPacing = pacing
        let player = AVPlayer(playerItem: item)
        player.play()
        guard case .playedToEnd = await item.stubOutcome() else {
            Issue.record("it failed: \(String(describing: item.error))")
            return
        }
        #expect(item.status == .readyToPlay)
        #expect(asset.stubLog.violations == [])
        let bytes = try movie.bytes()
        for kept in item.stubKeptBytes {
            let lower = Int(kept.offset)
            #expect(kept.data.elementsEqual(bytes[lower..<(lower + kept.data.count)]))
        }
        withExtendedLifetime(player) {}
    }

    @Test(
        "an item costs its origin one request up to its first bytes, and a second play no request"
    )
    func requests() async throws {
        let folder = TemporaryDirectory()
        let origin = try Movie.indexInFront.origin()
        let cache = try Cache(directory: folder.path)
        let key = ResourceKey(location: "https://origin.example/film", account: "", display: "film")
        let media = TypedSource(CachedSource(origin: origin, key: key, cache: cache))
        for _ in 1...2 {
            let item = try await AVPlayerItem(media: media)
            let player = AVPlayer(playerItem: item)
            player.play()
            let asset = try #require(item.asset as? AVURLAsset)
            await asset.stubLog.wait { $0.bytesDelivered > 0 }
            #expect(origin.log.demands.count == 1)
            guard case .playedToEnd = await item.stubOutcome() else {
                Issue.record("it failed: \(String(describing: item.error))")
                return
            }
            #expect(asset.stubLog.violations == [])
            player.replaceCurrentItem(with: nil)
        }
        #expect(origin.log.demands.count == 1)
        #expect(origin.log.repeatedByteCount == 0)
        cache.close()
    }

    @Test("an item with a known type needs no waiting, and plays as well")
    func knownType() async throws {
        let origin = try Movie.indexBehind.origin()
        let item = AVPlayerItem(media: TypedSource(origin), type: .mp4Video)
        #expect(origin.log.demands.isEmpty)
        let player = AVPlayer(playerItem: item)
        player.play()
        guard case .playedToEnd = await item.stubOutcome() else {
            Issue.record("it failed: \(String(describing: item.error))")
            return
        }
        withExtendedLifetime(player) {}
    }

    @Test("seeks that leave their requests alive still find their bytes")
    func seeks() async throws {
        let origin = try Movie.indexInFront.origin(chunkSize: 512)
        let item = try await AVPlayerItem(media: TypedSource(origin))
        var pacing = StubPacing()
        pacing.pace = .granted
        pacing.window = 8192
        pacing.leavesRequestOnSeek = true
        item.stubPacing = pacing
        let player = AVPlayer(playerItem: item)
        player.play()
        #expect(await item.stubReadiness() == .readyToPlay)
        for byte in [60_000, 30_000, 70_000, 20_000] as [Int64] {
            item.stubSeek(toByte: byte)
            item.stubGrant(1000)
        }
        item.stubGrant(10_000_000)
        guard case .playedToEnd = await item.stubOutcome() else {
            Issue.record("it failed: \(String(describing: item.error))")
            return
        }
        let asset = try #require(item.asset as? AVURLAsset)
        #expect(asset.stubLog.violations == [])
        withExtendedLifetime(player) {}
    }

    @Test("a queue plays one item after the other, a looper copies of one")
    func queues() async throws {
        let first = try await AVPlayerItem(media: TypedSource(try Movie.indexBehind.origin()))
        let second = try await AVPlayerItem(media: TypedSource(try Movie.indexInFront.origin()))
        let queue = AVQueuePlayer(items: [first, second])
        queue.play()
        for item in [first, second] {
            guard case .playedToEnd = await item.stubOutcome() else {
                Issue.record("it failed: \(String(describing: item.error))")
                return
            }
        }
        let origin = try Movie.indexInFront.origin()
        let template = try await AVPlayerItem(media: TypedSource(origin))
        let player = AVQueuePlayer()
        let looper = AVPlayerLooper(player: player, templateItem: template)
        player.play()
        await looper.stubWait(forLoops: 2)
        looper.disableLooping()
        let asset = try #require(template.asset as? AVURLAsset)
        #expect(asset.stubLog.violations == [])
    }

    @Test(
        "the requests of a replaced item end with its asset, though the player does not cancel them"
    )
    func replaced() async throws {
        let origin = ScriptedSource(length: 50_000_000)
        origin.hold(before: 200_000, until: Gate())
        var item: AVPlayerItem? = AVPlayerItem(media: origin, type: .mp4Video)
        let player = AVPlayer(playerItem: item)
        player.play()
        try await origin.waitForBytes(2)
        player.replaceCurrentItem(with: nil)
        item = nil
        #expect(item == nil)
        try await origin.waitUntilIdle()
    }
}
#endif
