// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

@Suite("An asset of a byte source", .timeLimit(.minutes(1)))
struct AssetTests {
    @Test("keeps its loader alive, and ends the loader when the asset is released")
    func lifetime() async throws {
        let origin = ScriptedSource(length: 1_000_000)
        var asset: AVURLAsset? = try await AVURLAsset(media: origin)
        let address = try #require(asset?.url.absoluteString)
        #expect(asset?.resourceLoader.delegate != nil)
        #expect(MediaRegistry.shared.loader(of: address) != nil)
        #expect(origin.log.readingCount(.running) == 1)
        asset = nil
        #expect(MediaRegistry.shared.loader(of: address) == nil)
        try await origin.waitUntilIdle()
    }

    @Test("two assets of one medium are separate, and a foreign asset has no events")
    func two() async throws {
        let origin = ScriptedSource(length: 1000)
        let one = try await AVURLAsset(media: origin)
        let other = try await AVURLAsset(media: origin)
        #expect(one.url != other.url)
        #expect(one.mediaEvents() != nil)
        let url = try #require(URL(string: "https://origin.example/film.mp4"))
        #expect(AVURLAsset(url: url).mediaEvents() == nil)
    }

    #if WEIR_STUBS
    // Documentation/Failings.md lists the numbered defects.
    @Test("defect 9: the delegate of an asset declines a Weir URL of another asset")
    func foreign() async throws {
        let url = try #require(URL(string: "weir-media://nobody-1/film.mp4"))
        let loader = AssetLoader(
            ScriptedSource(length: 10),
            queue: DelegateQueue(label: "test")
        )
        let delegate = MediaResourceLoader(
            loader,
            address: MediaAddress(id: "nobody-2", name: nil, type: nil)
        )
        let asset = AVURLAsset(url: url)
        asset.resourceLoader.setDelegate(delegate, queue: loader.queue.queue)
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        guard case .failed = await item.stubOutcome() else {
            Issue.record("it played")
            return
        }
        #expect(asset.stubLog.requests.map(\.end) == [.declined])
        withExtendedLifetime((player, delegate)) {}
    }
    #endif
}
#endif
