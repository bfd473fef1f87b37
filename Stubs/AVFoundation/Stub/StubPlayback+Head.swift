// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The player's work before the media: it finds the resource's type and its index.
extension StubPlayback {
    /// Types whose boxes the stub walks.
    private static let boxed: Set<String> = [
        AVFileType.mp4.rawValue, AVFileType.m4a.rawValue, AVFileType.m4v.rawValue,
        AVFileType.mov.rawValue, AVFileType.mobile3GPP.rawValue, AVFileType.mobile3GPP2.rawValue,
        "public.mpeg-4-audio",
    ]
    /// Types that the stub plays from the first byte to the last, without parsing.
    private static let plain: Set<String> = [
        AVFileType.mp3.rawValue, AVFileType.wav.rawValue, AVFileType.aiff.rawValue,
        AVFileType.aifc.rawValue, AVFileType.caf.rawValue, AVFileType.au.rawValue,
        AVFileType.ac3.rawValue, AVFileType.eac3.rawValue, AVFileType.amr.rawValue,
        "org.xiph.flac", "public.aac-audio",
    ]

    /// Continues after the probe.
    ///
    /// - Parameter information: The content information.
    func probed(_ information: StubInformation?) {
        guard let information, let type = information.contentType,
            Self.boxed.contains(type) || Self.plain.contains(type)
        else { return fail(Self.unrecognized) }
        guard information.contentLength > 0 else { return fail(Self.damaged) }
        // Apple's header says that media without ranges "may fail", for all containers; in the stub
        // they always fail.
        guard information.isByteRangeAccessSupported else {
            return fail(AVError(.serverIncorrectlyConfigured))
        }
        total = information.contentLength
        guard Self.boxed.contains(type) else {
            mediaRange = 0..<total
            return beginMedia(at: 0)
        }
        phase = .head
        walker = StubBoxWalker(at: 0, total: total)
        open(.range(0, length: total, of: total))
    }

    /// Walks the boxes in a chunk.
    ///
    /// - Parameter chunk: The chunk.
    func walk(_ chunk: StubChunk) {
        guard afterCancel == nil else { return }
        walker.take(chunk)
        while let step = walker.next() {
            switch step {
            case .malformed: return fail(Self.unrecognized)
            case .movie(let payload):
                guard read(payload) else { return fail(Self.damaged) }
            case .media(let range):
                guard phase == .head else { continue }
                mediaRange = range
                guard movie != nil else { return lookBehind() }
                return goOn(with: chunk)
            }
        }
    }

    /// Requests the media from an offset on.
    func beginMedia(at offset: Int64) {
        phase = .media
        move(to: offset)
        if let seek = pendingSeek {
            pendingSeek = nil
            move(to: place(of: seek))
        }
        open(.range(receivedEnd, length: total - receivedEnd, of: total))
    }

    private func read(_ payload: Data) -> Bool {
        guard let movie = try? StubMovie(payload) else { return false }
        guard movie.tracks.allSatisfy({ $0.samples.allSatisfy { $0.upperBound <= total } }) else {
            return false
        }
        self.movie = movie
        publish { $0.sampleCounts = movie.tracks.map(\.sampleCount) }
        return true
    }

    /// The media come first: the index must follow them.
    private func lookBehind() {
        let tail = mediaRange.upperBound
        guard tail < total else { return fail(Self.damaged) }
        cancel { [self] in
            phase = .tail
            walker = StubBoxWalker(at: tail, total: total)
            open(.range(tail, length: total - tail, of: total))
        }
    }

    /// The index came first: its request continues with the media.
    private func goOn(with chunk: StubChunk) {
        phase = .media
        let start = max(mediaRange.lowerBound, chunk.offset)
        move(to: start)
        if let seek = pendingSeek {
            pendingSeek = nil
            return self.seek(seek)
        }
        let rest = chunk.data.dropFirst(Int(start - chunk.offset))
        if !rest.isEmpty { hold(StubChunk(offset: start, data: rest)) }
    }
}
