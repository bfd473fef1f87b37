// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

// Sendable: `published` is behind `lock`; every other mutable property is used on `queue` only.

/// The player of one item: it makes requests in the order of the real player, and consumes the
/// bytes.
///
/// First it sends a probe (0,2). Then it requests the whole resource, and walks the boxes. If the
/// media come before the index, it cancels, requests the tail, and then the media from their
/// beginning. See S1, S3 and S11 of the reference.
final class StubPlayback: @unchecked Sendable {
    /// The phase of the playback.
    enum Phase {
        case idle
        case probing
        case head
        case tail
        case media
        case ended
    }

    struct Published {
        var status = AVPlayerItem.Status.unknown
        var error: AVError?
        var outcome: StubOutcome?
        var pacing = StubPacing()
        var playhead: Int64 = 0
        var keepsUp = true
        var kept: [StubChunk] = []
        var sampleCounts: [Int] = []
        var waiters: [CheckedContinuation<StubOutcome, Never>] = []
        var readers: [CheckedContinuation<AVPlayerItem.Status, Never>] = []
        var atEnd: [@Sendable () -> Void] = []
        weak var item: AVPlayerItem?
    }

    let queue = DispatchQueue(label: "AVFoundation stub player item")
    private let loader: AVAssetResourceLoader?
    private let lock = NSLock()
    private var published = Published()

    var phase = Phase.idle
    var current: AVAssetResourceLoadingRequest?
    var afterCancel: (() -> Void)?
    /// Whether to ignore bytes that arrive before a cancellation.
    var isStale = false
    var total: Int64 = 0
    var walker = StubBoxWalker(at: 0, total: 0)
    var movie: StubMovie?
    var mediaRange: Range<Int64> = 0..<0
    var needed = StubRanges()
    var consumed = StubRanges()
    var held: [StubChunk] = []
    var receivedEnd: Int64 = 0
    var playhead: Int64 = 0
    var allowance: Int64 = 0
    var isPlaying = false
    var pendingSeek: StubSeek?

    /// A player.
    ///
    /// - Parameter asset: The asset; nil if the item's asset has no loader.
    init(asset: AVURLAsset?) {
        loader = asset?.resourceLoader
    }

    /// Reads or changes the published state.
    func publish<Value>(_ body: (inout Published) throws -> Value) rethrows -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try body(&published)
    }

    var log: StubLog? { loader?.stubLog }
    var pacing: StubPacing { publish { $0.pacing } }

    // MARK: - From the player

    /// Begins to load, or continues.
    func attach(isPlaying: Bool) {
        queue.async {
            self.isPlaying = isPlaying
            guard self.phase == .idle else { return self.consume() }
            self.phase = .probing
            self.open(StubWish(offset: 0, length: 2, toEnd: false), asksInformation: true)
        }
    }

    /// Detaches the item: its requests are not cancelled, as with the real player.
    func detach() {
        queue.async {
            self.isPlaying = false
            self.current = nil
            self.afterCancel = nil
            self.held = []
            guard self.phase != .ended else { return }
            self.phase = .idle
        }
    }

    func setPlaying(_ isPlaying: Bool) {
        queue.async {
            self.isPlaying = isPlaying
            self.consume()
        }
    }

    func grant(_ bytes: Int64) {
        queue.async {
            self.allowance += bytes
            self.consume()
        }
    }

    func reconsider() {
        queue.async { self.consume() }
    }

    // MARK: - Requests

    func open(_ wish: StubWish, asksInformation: Bool = false) {
        isStale = false
        guard let loader else { return fail(AVError(.operationNotSupportedForAsset)) }
        current = loader.load(wish, asksInformation: asksInformation) { [weak self] request in
            guard let self else { return }
            queue.async { self.pump(request) }
        }
    }

    /// Cancels the running request, and continues when it has ended in any way.
    func cancel(then next: @escaping () -> Void) {
        guard let current else { return next() }
        let isUnderWay = afterCancel != nil
        afterCancel = next
        if !isUnderWay { loader?.cancel(current) }
    }

    private func pump(_ request: AVAssetResourceLoadingRequest) {
        let taken = request.exchange.take()
        guard request === current else { return }
        if !isStale { taken.chunks.forEach(receive) }
        guard taken.phase != .open, request === current else { return }
        current = nil
        if let next = afterCancel {
            afterCancel = nil
            return next()
        }
        guard phase != .ended else { return }
        switch taken.phase {
        case .finished: finished(taken)
        case .failed:
            fail(AVError(.unknown, userInfo: taken.error.map { [NSUnderlyingErrorKey: $0] } ?? [:]))
        case .declined: fail(AVAssetResourceLoader.stubError(status: -12936))
        case .open, .cancelled: break
        }
    }

    private func receive(_ chunk: StubChunk) {
        switch phase {
        case .head, .tail: walk(chunk)
        case .media: hold(chunk)
        case .idle, .probing, .ended: break
        }
    }

    private func finished(_ taken: StubExchange.Taken) {
        switch phase {
        case .probing: probed(taken.information ?? loader?.stubCachedInformation)
        case .tail where movie != nil: beginMedia(at: mediaRange.lowerBound)
        case .head, .tail: fail(Self.damaged)
        case .media:
            // Bytes that did not arrive do not exist [hdr].
            total = min(total, taken.currentOffset)
            consume()
        case .idle, .ended: break
        }
    }

    // MARK: - Ends

    /// Fails the item; its request is cancelled.
    func fail(_ error: AVError) {
        guard phase != .ended else { return }
        phase = .ended
        if let current { loader?.cancel(current) }
        current = nil
        conclude(.failed(error))
    }

    func playedToEnd() {
        phase = .ended
        conclude(.playedToEnd)
    }

    /// Publishes the outcome: first to the player, so that the player has advanced when the item's
    /// waiters resume.
    private func conclude(_ outcome: StubOutcome) {
        let (atEnd, item) = publish { published in
            if case .failed(let error) = outcome {
                published.status = .failed
                published.error = error
            }
            return (published.atEnd, published.item)
        }
        switch outcome {
        case .playedToEnd:
            for told in atEnd { told() }
            NotificationCenter.default.post(
                name: AVPlayerItem.didPlayToEndTimeNotification,
                object: item
            )
        case .failed(let error):
            NotificationCenter.default.post(
                name: AVPlayerItem.failedToPlayToEndTimeNotification,
                object: item,
                userInfo: [AVPlayerItemFailedToPlayToEndTimeErrorKey: error]
            )
        }
        let (waiters, readers, status) = publish { published in
            published.outcome = outcome
            defer {
                published.waiters = []
                published.readers = []
            }
            return (published.waiters, published.readers, published.status)
        }
        for reader in readers { reader.resume(returning: status) }
        for waiter in waiters { waiter.resume(returning: outcome) }
    }

    /// The real player's error for a file with a wrong length, or a truncated file.
    static let damaged = AVError(
        .fileFailedToParse,
        userInfo: [NSUnderlyingErrorKey: NSError(domain: "NSOSStatusErrorDomain", code: -12848)]
    )

    /// The real player's error for bytes of an unknown format.
    static let unrecognized = AVError(
        .fileFormatNotRecognized,
        userInfo: [NSUnderlyingErrorKey: NSError(domain: "NSOSStatusErrorDomain", code: -12847)]
    )
}
