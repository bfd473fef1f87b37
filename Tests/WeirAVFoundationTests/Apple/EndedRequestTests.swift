// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

@Suite("A request that has ended", .timeLimit(.minutes(1)))
struct EndedRequestTests {
    /// Answers a request in every way; returns when AVFoundation has released the bytes.
    private func answer(_ request: AVAssetResourceLoadingRequest) async throws {
        let own = PlayerLoadingRequest(request)
        own.fill(ContentInformation(type: nil, length: 10))
        let isReleased = Watched(false)
        own.respond(with: ByteMemory([1, 2])) { isReleased.update { $0 = true } }
        own.finish()
        own.finish(with: .cancelled)
        try await isReleased.wait { $0 }
    }

    @Test(
        "accepts no answer after its cancellation, even before the delegate hears of it"
    )
    func cancelled() async throws {
        let film = try StubFixture.indexBehind
        let media = try StubFixture.box("mdat", of: film)
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        await delegate.answerProbe(length: film.count)
        let head = await delegate.next()
        head.dataRequest?.respond(with: film.prefix(media.lowerBound + 8))
        #expect(await delegate.nextCancellation())
        try await self.answer(head)
        #expect(asset.stubLog.violations == [])
        withExtendedLifetime(player) {}
    }

    @Test("accepts no answer after it is finished")
    func finished() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        let probe = await delegate.next()
        probe.finishLoading(with: URLError(.timedOut))
        try await self.answer(probe)
        #expect(asset.stubLog.violations == [])
        withExtendedLifetime(player) {}
    }
}
#endif
