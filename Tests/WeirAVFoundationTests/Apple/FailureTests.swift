// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Foundation
import Testing

import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

@Suite("How AVFoundation learns that bytes cannot be read", .timeLimit(.minutes(1)))
struct FailureTests {
    @Test("an asset of a missing resource is not made, and throws the source's error")
    func missing() async throws {
        let origin = try Movie.indexInFront.origin()
        origin.refuse(with: SourceError(.notFound, "There is no film."), times: nil)
        await #expect {
            _ = try await AVURLAsset(media: origin)
        } throws: { ($0 as? SourceError)?.code == .notFound }
    }

    #if WEIR_STUBS
    @Test(
        "a failure in mid-play gives the item a public error, and the application the original one"
    )
    func midPlay() async throws {
        let origin = try Movie.indexInFront.origin()
        origin.fail(at: 8_000, with: SourceError(.timedOut, "The origin was silent."), times: nil)
        let asset = try await AVURLAsset(media: TypedSource(origin))
        var events = try #require(asset.mediaEvents()).makeAsyncIterator()
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        guard case .failed = await item.stubOutcome() else {
            Issue.record("it played to its end")
            return
        }
        #expect(item.status == .failed || item.error != nil)
        guard case .failed(let error)? = await events.next() else {
            Issue.record("no failure was reported")
            return
        }
        #expect(error.code == .timedOut)
        let ends = asset.stubLog.requests.map(\.end)
        #expect(ends.contains(.failed(domain: "NSURLErrorDomain", code: -1001)))
        #expect(asset.stubLog.violations == [])
        withExtendedLifetime(player) {}
    }
    #endif

    @Test("an error keeps its sentence and its underlying error")
    func bridging() throws {
        let error = NSError(
            LoadingFailure.source(SourceError(.unauthorized, "Sign in again."))
        )
        #expect(error.domain == NSURLErrorDomain)
        #expect(error.code == NSURLErrorUserAuthenticationRequired)
        #expect(error.localizedDescription == "Sign in again.")
        #expect(error.userInfo[NSUnderlyingErrorKey] != nil)
        #expect(NSError(LoadingFailure.cancelled).domain == NSCocoaErrorDomain)
        #expect(NSError(LoadingFailure.typeNotAllowed(nil)).domain == AVFoundationErrorDomain)
    }
}
#endif
