// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The target of a seek.
enum StubSeek {
    case byte(Int64)
    case seconds(Double)
}

/// The player's work on the media: it holds them, consumes them, and requests more.
extension StubPlayback {
    func requestSeek(_ seek: StubSeek) {
        queue.async { self.seek(seek) }
    }

    /// Seeks: cancels the running request, and makes one from the new position.
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

    /// The offset of a seek target: a time is converted to a share of the media.
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

    /// Moves to a byte, drops the held chunks, and requires every sample that begins at this byte or later.
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

    /// Holds a chunk; bytes beyond the end of the resource are dropped.
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

    /// Consumes as many bytes as allowed; then requests more, waits, or ends.
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
            // All bytes have arrived, and samples are missing.
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
