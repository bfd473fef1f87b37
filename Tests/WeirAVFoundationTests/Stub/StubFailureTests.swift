// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing

@Suite("How the player of the stub fails", .timeLimit(.minutes(1)))
struct StubFailureTests {
    /// Content information from a delegate that makes a film unplayable.
    enum Saying: CaseIterable {
        case mime
        case nothing
        case noLength
        case noRanges
    }

    @Test(
        "the content information decides whether the resource can be played",
        arguments: Saying.allCases
    )
    func sayings(_ saying: Saying) async throws {
        let delegate = ArrayDelegate(try StubFixture.indexInFront) { information in
            switch saying {
            case .mime: information.contentType = "video/mp4"
            case .nothing: information.contentType = nil
            case .noLength: information.contentLength = 0
            case .noRanges: information.isByteRangeAccessSupported = false
            }
        }
        let (item, error) = try await fail(try delegate.asset())
        let expected: AVError.Code =
            switch saying {
            case .mime, .nothing: .fileFormatNotRecognized
            case .noLength: .fileFailedToParse
            case .noRanges: .serverIncorrectlyConfigured
            }
        #expect(error?.code == expected && item.status == .failed)
    }

    @Test(
        "an error of the delegate is the underlying error of the item's error",
        arguments: [0, 1]
    )
    func error(_ answered: Int) async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        if answered > 0 { await delegate.answerProbe(length: 5_000) }
        await delegate.next().finishLoading(with: URLError(.networkConnectionLost))
        try await expectFailure(
            of: item,
            .unknown,
            under: URLError.Code.networkConnectionLost.rawValue
        )
        #expect(
            asset.stubLog.requests.last?.end
                == .failed(
                    domain: NSURLErrorDomain,
                    code: URLError.Code.networkConnectionLost.rawValue
                )
        )
        withExtendedLifetime(player) {}
    }

    @Test("a request that is finished early ends the resource at that byte, and the item fails")
    func finishedShort() async throws {
        for film in [try StubFixture.indexInFront, try StubFixture.indexBehind] {
            // In the head, in the tail or the media, or one byte before the end.
            for cut in [10, 5_000, film.count - 1] {
                let asset = try ArrayDelegate(film.prefix(cut)) {
                    $0.contentLength = Int64(film.count)
                }.asset()
                let (_, error) = try await fail(asset)
                #expect(error?.code == .fileFailedToParse, "\(cut)")
                guard case .finishedShort = asset.stubLog.violations.first else {
                    Issue.record("\(cut): \(asset.stubLog.violations)")
                    continue
                }
            }
        }
    }

    @Test("bytes of no known film format are not recognised", arguments: [8, 500])
    func noise(_ count: Int) async throws {
        let (_, error) = try await fail(try ArrayDelegate(StubFixture.noise(count)).asset())
        #expect(error?.code == .fileFormatNotRecognized)
    }

    @Test("a film with a damaged index fails, wherever the index is")
    func damagedIndex() async throws {
        for var film in [try StubFixture.indexInFront, try StubFixture.indexBehind] {
            for name in ["stsz", "stco", "stsc", "mdia", "mvhd"] {
                let healthy = film
                let index = try #require(film.range(of: Data(name.utf8)))
                film[index.lowerBound] = UInt8(ascii: "x")
                let (_, error) = try await fail(try ArrayDelegate(film).asset())
                #expect(error?.code == .fileFailedToParse, "\(name)")
                film = healthy
            }
        }
    }

    @Test("a sample that lies outside the film counts as a damaged index")
    func sampleOutside() async throws {
        var film = try StubFixture.indexInFront
        let index = try #require(film.range(of: Data("stco".utf8)))
        film[index.upperBound + 8] = 0x7f
        let (_, error) = try await fail(try ArrayDelegate(film).asset())
        #expect(error?.code == .fileFailedToParse)
    }

    @Test("a redirect fails: the stub has no network")
    func redirect() async throws {
        let delegate = HandDelegate()
        let item = AVPlayerItem(asset: try delegate.asset())
        let player = AVPlayer(playerItem: item)
        let probe = await delegate.next()
        probe.redirect = URLRequest(url: try #require(URL(string: "https://example.org/a.mp4")))
        probe.finishLoading()
        try await expectFailure(
            of: item,
            .unknown,
            under: URLError.Code.unsupportedURL.rawValue
        )
        withExtendedLifetime(player) {}
    }

    @Test("codes and types have Apple's values")
    func values() {
        #expect(AVError.Code.unknown.rawValue == -11800)
        #expect(AVError.Code.fileFormatNotRecognized.rawValue == -11828)
        #expect(AVError.Code.fileFailedToParse.rawValue == -11829)
        #expect(AVError.Code.failedToLoadMediaData.rawValue == -11849)
        #expect(AVError.Code.serverIncorrectlyConfigured.rawValue == -11850)
        #expect(AVFileType.mp4.rawValue == "public.mpeg-4")
        #expect(AVFileType.m4a.rawValue == "com.apple.m4a-audio")
        #expect(AVFileType.mp3.rawValue == "public.mp3")
        #expect(AVFileType.mov.rawValue == "com.apple.quicktime-movie")
    }

    /// Plays an asset that cannot be played.
    private func fail(_ asset: AVURLAsset) async throws -> (AVPlayerItem, AVError?) {
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        player.play()
        guard case .failed(let error) = await item.stubOutcome() else {
            Issue.record("played")
            return (item, nil)
        }
        return (item, error)
    }
}
#endif
