// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Where to seek to.
enum StubSeek {
    case byte(Int64)
    case seconds(Double)
}

/// What the player does with the media: holds them, consumes them, asks for more.
extension StubPlayback {
    func requestSeek(_ seek: StubSeek) {
        queue.async { self.seek(seek) }
    }

    /// Goes to another place: cancels what runs, and asks from there.
    func seek(_ seek: StubSeek) {
        let isReplay = phase == .ended && publish { $0.error == nil }
        guard phase == .media || isReplay else {
            if phase != .ended { pendingSeek = seek }
            return
        }
        if isReplay { publish { $0.outcome = nil } }
        phase = .media
        move(to: place(of: seek))
        isStale = true
        let next = { [self] in open(.range(receivedEnd, length: total - receivedEnd, of: total)) }
        if pacing.leavesRequestOnSeek, afterCancel == nil {
            next()
        } else {
            cancel(then: next)
        }
    }

    /// The byte that a place is at: a time is taken for a share of the media.
    func place(of seek: StubSeek) -> Int64 {
        let length = mediaRange.upperBound - mediaRange.lowerBound
        let wanted: Int64 =
            switch seek {
            case .byte(let offset): offset
            case .seconds(let seconds):
                mediaRange.lowerBound
                    + Int64(
                        Double(length) * min(1, max(0, seconds / (movie?.seconds ?? seconds)))
                    )
            }
        return min(max(wanted, mediaRange.lowerBound), mediaRange.upperBound - 1)
    }

    /// Stands at a byte, with nothing in hand, and needs every sample that begins there or behind it.
    func move(to offset: Int64) {
        held = []
        receivedEnd = offset
        playhead = offset
        consumed = StubRanges()
        publish { $0.playhead = offset }
        let samples = movie.map { $0.tracks.flatMap(\.samples) } ?? [mediaRange]
        needed = StubRanges(
            samples.filter { $0.lowerBound >= offset || movie == nil }.map {
                max($0.lowerBound, offset)..<$0.upperBound
            }
        )
    }

    /// Takes a portion into hand; what is beyond the end of the resource is dropped.
    func hold(_ chunk: StubChunk) {
        let room = max(0, total - chunk.offset)
        guard room > 0 else { return }
        held.append(
            Int64(chunk.data.count) <= room
                ? chunk : StubChunk(offset: chunk.offset, data: chunk.data.prefix(Int(room)))
        )
        receivedEnd = min(chunk.end, total)
        becomeReady()
        consume()
    }

    /// Consumes what may be consumed, and then asks for more, waits, or is done.
    func consume() {
        guard phase == .media else { return }
        let pacing = pacing
        let from = playhead
        while isPlaying, let chunk = held.first {
            let free = chunk.end - playhead
            let step = pacing.pace == .asItComes ? free : min(free, allowance)
            guard step > 0 else { break }
            playhead += step
            if pacing.pace == .granted { allowance -= step }
            if playhead == chunk.end { drop(chunk, keeps: pacing.keepsBytes) }
        }
        consumed.insert(from..<playhead)
        publish { $0.playhead = playhead }
        if isPlaying, needed.list.allSatisfy(consumed.contains) { return playedToEnd() }
        askOrWait(pacing.window)
    }

    private func askOrWait(_ window: Int64) {
        let ahead = receivedEnd - playhead
        if current != nil {
            guard afterCancel == nil, ahead > window else { return }
            cancel { [self] in consume() }
        } else if receivedEnd < total {
            guard ahead <= window / 2 else { return }
            open(.range(receivedEnd, length: total - receivedEnd, of: total))
        } else if held.isEmpty, isPlaying {
            // Everything came that there is, and samples are missing.
            fail(Self.damaged)
        }
    }

    private func drop(_ chunk: StubChunk, keeps: Bool) {
        held.removeFirst()
        if !chunk.isUnchanged {
            log?.note(.bufferChanged(offset: chunk.offset, count: chunk.data.count))
        }
        if keeps { publish { $0.kept.append(chunk) } }
    }

    private func becomeReady() {
        let readers = publish { published in
            guard published.status == .unknown else {
                return [CheckedContinuation<AVPlayerItem.Status, Never>]()
            }
            published.status = .readyToPlay
            defer { published.readers = [] }
            return published.readers
        }
        for reader in readers { reader.resume(returning: .readyToPlay) }
    }
}
