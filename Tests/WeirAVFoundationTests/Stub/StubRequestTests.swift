// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing

// What the reference says about the resource loader, and the tests that check it in the stub:
//
// | fact | test |
// | --- | --- |
// | the delegate is held weakly [hdr] | weakDelegate, association |
// | its methods are called on its queue [hdr] | callsOnQueue |
// | no delegate, false, or the system's scheme: no load [hdr] | noDelegate, declined, ownScheme |
// | information is requested on the first requests only [hdr] | asksOnce |
// | it is read once, at the first bytes or the finish [dis] | lateInformation, informationAlone |
// | and kept, unless several types are allowed or it expires [dis] | remembers, doesNotRemember |
// | the type must be an allowed one, or an exception is thrown [hdr] | forbiddenType |
// | currentOffset begins at requestedOffset and advances [dis] | offsets |
// | empty data is ignored, late data dropped [dis] | offsets, dataAfterFinish, dataAfterCancel |
// | bytes beyond the range are not cut off [dis] | overDelivery |
// | data is not copied until consumed [dis] | buffer |
// | a second finish is ignored [dis] | finishedTwice |
// | after a cancel a finish is harmless [dis] | dataAfterCancel |
// | the header `Range: bytes=a-b` [dis] | rangeHeader |
// | a finish with fewer bytes: the resource ends there [hdr] | finishedShort |
// | isCancelled is true just before the delegate's method is called [hdr] | dataAfterCancel |
// | requests live until they are finished [hdr] | lives |
// | renewal [hdr] | renewal |

@Suite("The stub of the resource loader", .timeLimit(.minutes(1)))
struct StubRequestTests {
    @Test("the loader holds its delegate weakly")
    func weakDelegate() throws {
        var delegate: HandDelegate? = HandDelegate()
        let asset = try #require(try delegate?.asset())
        #expect(asset.resourceLoader.delegate === delegate)
        #expect(asset.resourceLoader.delegateQueue === delegate?.queue)
        delegate = nil
        #expect(asset.resourceLoader.delegate == nil)
    }

    @Test("an association keeps the delegate alive as long as the asset, and no longer")
    func association() throws {
        weak var delegate: HandDelegate?
        do {
            let strong = HandDelegate()
            delegate = strong
            let asset = try strong.asset()
            objc_setAssociatedObject(asset, StubKey.delegate, strong, .OBJC_ASSOCIATION_RETAIN)
            let held = objc_getAssociatedObject(asset, StubKey.delegate) as? HandDelegate
            #expect(held === strong)
            withExtendedLifetime(asset) { #expect(asset.resourceLoader.delegate === strong) }
        }
        #expect(delegate == nil)
    }

    @Test("the delegate is called on the queue that it was registered with")
    func callsOnQueue() async throws {
        let delegate = ArrayDelegate(try StubFixture.indexInFront) { _ in
            #expect(DispatchQueue.getSpecific(key: ArrayDelegate.onQueue) == true)
        }
        let item = AVPlayerItem(asset: try delegate.asset())
        let player = AVPlayer(playerItem: item)
        player.play()
        guard case .playedToEnd = await item.stubOutcome() else {
            Issue.record("\(String(describing: item.error))")
            return
        }
    }

    @Test("without a delegate the item fails as with an unknown scheme")
    func noDelegate() async throws {
        let item = AVPlayerItem(url: try #require(URL(string: "weir-stub://film/index.mp4")))
        let player = AVPlayer(playerItem: item)
        try await expectFailure(of: item, .unknown, under: -12936)
        withExtendedLifetime(player) {}
    }

    @Test("a delegate that declines the request fails the item")
    func declined() async throws {
        let delegate = HandDelegate(accepts: false)
        let asset = try delegate.asset()
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        try await expectFailure(of: item, .unknown, under: -12936)
        #expect(asset.stubLog.requests.map(\.end) == [.declined])
        let request = await delegate.next()
        request.finishLoading()
        #expect(asset.stubLog.violations == [.answeredAfterDecline(offset: 0)])
        withExtendedLifetime(player) {}
    }

    @Test(
        "the delegate gets no request for a scheme that the system loads itself",
        arguments: ["https://example.org/a.mp4", "HTTP://example.org/a.mp4", "file:///a.mp4"]
    )
    func ownScheme(_ url: String) async throws {
        let delegate = ArrayDelegate(try StubFixture.indexInFront) { _ in
            Issue.record("asked")
        }
        let item = AVPlayerItem(asset: try delegate.asset(url))
        let player = AVPlayer(playerItem: item)
        try await expectFailure(of: item, .unknown, under: -12936)
        withExtendedLifetime(player) {}
    }

    @Test("only the first request asks for the content information")
    func asksOnce() async throws {
        let delegate = HandDelegate()
        let item = AVPlayerItem(asset: try delegate.asset())
        let player = AVPlayer(playerItem: item)
        let probe = await delegate.next()
        let information = try #require(probe.contentInformationRequest)
        let data = try #require(probe.dataRequest)
        #expect(data.requestedOffset == 0 && data.requestedLength == 2)
        #expect(!data.requestsAllDataToEndOfResource)
        information.contentType = AVFileType.mp4.rawValue
        information.contentLength = 5_000
        information.isByteRangeAccessSupported = true
        data.respond(with: Data(count: 2))
        probe.finishLoading()
        let whole = await delegate.next()
        #expect(whole.contentInformationRequest == nil)
        let rest = try #require(whole.dataRequest)
        #expect(rest.requestedOffset == 0 && rest.requestedLength == 5_000)
        #expect(rest.requestsAllDataToEndOfResource)
        withExtendedLifetime(player) {}
    }

    @Test("information that is set after the first bytes is ignored")
    func lateInformation() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        let probe = await delegate.next()
        probe.contentInformationRequest?.contentType = AVFileType.mp4.rawValue
        probe.contentInformationRequest?.isByteRangeAccessSupported = true
        probe.dataRequest?.respond(with: Data(count: 2))
        probe.contentInformationRequest?.contentLength = 5_000
        probe.finishLoading()
        try await expectFailure(of: item, .fileFailedToParse, under: -12848)
        #expect(asset.stubLog.violations == [.informationAfterData])
        #expect(asset.resourceLoader.stubCachedInformation?.contentLength == 0)
        withExtendedLifetime(player) {}
    }

    @Test("information alone answers the first request")
    func informationAlone() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        let probe = await delegate.next()
        probe.contentInformationRequest?.contentType = AVFileType.mp4.rawValue
        probe.contentInformationRequest?.contentLength = 5_000
        probe.contentInformationRequest?.isByteRangeAccessSupported = true
        probe.finishLoading()
        #expect(await delegate.next().dataRequest?.requestedLength == 5_000)
        #expect(asset.stubLog.violations.isEmpty)
        withExtendedLifetime(player) {}
    }

    @Test("the information is remembered for the next item of the asset")
    func remembers() async throws {
        let delegate = ArrayDelegate(try StubFixture.indexInFront)
        let asset = try delegate.asset()
        for _ in 0..<2 {
            let item = AVPlayerItem(asset: asset)
            let player = AVPlayer(playerItem: item)
            player.play()
            _ = await item.stubOutcome()
            withExtendedLifetime(player) {}
        }
        #expect(asset.stubLog.shapes.map(\.asks) == [true, false, false, false])
        #expect(asset.stubLog.violations.isEmpty)
    }

    @Test(
        "the information is not remembered where several types were possible, or it expires",
        arguments: [true, false]
    )
    func doesNotRemember(_ expires: Bool) async throws {
        let delegate = ArrayDelegate(try StubFixture.indexInFront) { information in
            if expires { information.renewalDate = Date(timeIntervalSinceNow: 60) }
        }
        let asset = try delegate.asset()
        if !expires {
            asset.resourceLoader.stubAllowedContentTypes = ["public.mpeg-4", "public.mp3"]
        }
        for _ in 0..<2 {
            let item = AVPlayerItem(asset: asset)
            let player = AVPlayer(playerItem: item)
            player.play()
            _ = await item.stubOutcome()
            withExtendedLifetime(player) {}
        }
        #expect(asset.stubLog.shapes.map(\.asks) == [true, false, true, false])
        #expect(asset.resourceLoader.stubCachedInformation == nil)
    }

    @Test("a type that is not allowed raises an exception, and the item fails")
    func forbiddenType() async throws {
        let delegate = ArrayDelegate(try StubFixture.indexInFront)
        let asset = try delegate.asset()
        asset.resourceLoader.stubAllowedContentTypes = ["public.mp3"]
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        guard case .failed = await item.stubOutcome() else {
            Issue.record("played")
            return
        }
        guard case .exception(let name, _) = try #require(asset.stubLog.violations.first) else {
            Issue.record("no exception")
            return
        }
        #expect(name == "NSInvalidArgumentException")
        withExtendedLifetime(player) {}
    }

    @Test("the current offset begins at the requested one and advances by the delivered bytes")
    func offsets() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        let data = try #require(await delegate.next().dataRequest)
        #expect(data.currentOffset == data.requestedOffset)
        data.respond(with: Data())
        #expect(data.currentOffset == 0)
        data.respond(with: Data(count: 1))
        #expect(data.currentOffset == 1)
        data.respond(with: Data(count: 1))
        #expect(data.currentOffset == 2)
        #expect(asset.stubLog.requests.first?.portions == 2)
        #expect(asset.stubLog.violations.isEmpty)
        withExtendedLifetime(player) {}
    }

    @Test("more bytes than requested are accepted, and logged")
    func overDelivery() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        let data = try #require(await delegate.next().dataRequest)
        data.respond(with: Data(count: 1))
        data.respond(with: Data(count: 3))
        #expect(data.currentOffset == 4)
        data.respond(with: Data(count: 5))
        #expect(
            asset.stubLog.violations == [
                .overDelivery(offset: 0, excess: 2), .overDelivery(offset: 0, excess: 5),
            ]
        )
        withExtendedLifetime(player) {}
    }

    @Test("bytes after the finish are dropped, and logged")
    func dataAfterFinish() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        let probe = await delegate.next()
        probe.dataRequest?.respond(with: Data(count: 2))
        probe.finishLoading()
        #expect(probe.isFinished && !probe.isCancelled)
        probe.dataRequest?.respond(with: Data(count: 7))
        #expect(probe.dataRequest?.currentOffset == 2)
        #expect(asset.stubLog.violations == [.dataAfterFinish(offset: 2, count: 7)])
        withExtendedLifetime(player) {}
    }

    @Test("a second finish of either kind is ignored, and logged", arguments: [true, false])
    func finishedTwice(_ withError: Bool) async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        let probe = await delegate.next()
        probe.dataRequest?.respond(with: Data(count: 2))
        probe.finishLoading()
        if withError {
            probe.finishLoading(with: URLError(.timedOut))
        } else {
            probe.finishLoading()
        }
        #expect(asset.stubLog.violations == [.finishedTwice(offset: 0)])
        #expect(asset.stubLog.requests.first?.end == .finished)
        withExtendedLifetime(player) {}
    }

    @Test(
        "a cancelled request is marked before the delegate hears of it, and later bytes are dropped"
    )
    func dataAfterCancel() async throws {
        let film = try StubFixture.indexBehind
        let media = try StubFixture.box("mdat", of: film)
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        await delegate.answerProbe(length: film.count)
        let head = await delegate.next()
        head.dataRequest?.respond(with: film.prefix(media.lowerBound + 8))
        #expect(await delegate.nextCancellation())
        #expect(head.isCancelled && !head.isFinished)
        head.dataRequest?.respond(with: film.prefix(100))
        head.finishLoading()
        head.finishLoading()
        #expect(
            asset.stubLog.violations == [
                .dataAfterCancel(offset: Int64(media.lowerBound + 8), count: 100)
            ]
        )
        withExtendedLifetime(player) {}
    }

    @Test("the request's header has the range with an inclusive end")
    func rangeHeader() async throws {
        let delegate = HandDelegate()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: try delegate.asset()))
        let probe = await delegate.next()
        #expect(probe.request.value(forHTTPHeaderField: "Range") == "bytes=0-1")
        #expect(probe.request.url?.scheme == "weir-stub")
        withExtendedLifetime(player) {}
    }

    @Test("a request lives until it is finished, even without any other reference")
    func lives() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let player = AVPlayer(playerItem: AVPlayerItem(asset: asset))
        weak let probe = await delegate.next()
        player.replaceCurrentItem(with: nil)
        #expect(probe != nil && asset.resourceLoader.stubLiveRequestCount == 1)
        probe?.finishLoading(with: URLError(.cancelled))
        #expect(asset.resourceLoader.stubLiveRequestCount == 0)
        withExtendedLifetime(player) {}
    }

    @Test("a write to a buffer before its bytes are consumed is detected")
    func buffer() async throws {
        let delegate = HandDelegate()
        let asset = try delegate.asset()
        let item = AVPlayerItem(asset: asset)
        let player = AVPlayer(playerItem: item)
        await delegate.answerProbe(length: 64, type: .mp3)
        let whole = await delegate.next()
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 1)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 1)
        let start = try #require(memory.baseAddress)
        whole.dataRequest?.respond(
            with: Data(bytesNoCopy: start, count: 64, deallocator: .none)
        )
        memory[10] = 2
        whole.finishLoading()
        player.play()
        _ = await item.stubOutcome()
        #expect(asset.stubLog.violations == [.bufferChanged(offset: 0, count: 64)])
    }

    @Test("a resource can be renewed")
    func renewal() async throws {
        let asset = try ArrayDelegate(try StubFixture.indexInFront).asset()
        #expect(await asset.resourceLoader.stubRenew())
        await asset.stubLog.wait { _ in asset.resourceLoader.stubCachedInformation != nil }
        #expect(asset.resourceLoader.stubCachedInformation?.contentLength == 17_135)
        let other = HandDelegate()
        #expect(await !(try other.asset().resourceLoader.stubRenew()))
    }
}

/// Waits for an item to fail with a code and an underlying error.
func expectFailure(
    of item: AVPlayerItem,
    _ code: AVError.Code,
    under status: Int,
    at location: SourceLocation = #_sourceLocation
) async throws {
    guard case .failed(let error) = await item.stubOutcome() else {
        Issue.record("played", sourceLocation: location)
        return
    }
    #expect(item.status == .failed, sourceLocation: location)
    let shown = try #require(item.error) as NSError
    #expect(shown.domain == AVFoundationErrorDomain, sourceLocation: location)
    #expect(shown.code == code.rawValue, sourceLocation: location)
    let under = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    #expect(under?.code == status, sourceLocation: location)
}
#endif
