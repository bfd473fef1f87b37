// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FLACParser {
    /// Looks for a frame that is whole (header, structure and both checksums), or for the beginning
    /// of another stream.
    ///
    /// - Parameters:
    ///   - from: where the bytes that belong to no frame start.
    ///   - kind: the kind of trouble with these bytes.
    ///   - window: the stream; the search drops its bytes until it finds a frame.
    /// - Returns: the step's result.
    mutating func findFrame(
        _ from: Int64,
        _ kind: AudioStreamFailure.Kind,
        _ window: inout ByteWindow
    ) -> ParserStep {
        self.isUnbroken = false
        while true {
            let view = window.peek(upTo: 16 << 10)
            guard let candidate = view.firstFLACFrameOrMarker else {
                let isWhole = view.count == window.count
                // The last bytes may be the first bytes of a sync code or a marker.
                let kept = isWhole && window.isAtEnd ? 0 : min(view.count, 3)
                self.pass(view.count - kept, &window)
                if !isWhole { continue }
                return window.isAtEnd ? self.giveUp(from, kind, &window) : .needsMore
            }
            self.pass(candidate, &window)
            if candidate > 0 { self.retryCount = 0 }
            let marker = window.peek(upTo: ByteView.flacStartByteCount)
            if marker.matches("fLaC") {
                if marker.count < ByteView.flacStartByteCount, !window.isAtEnd { return .needsMore }
                if marker.beginsFLACStream {
                    self.queue.append(.trouble(Self.trouble(kind, from..<window.offset)))
                    return self.enterMetadata(&window)
                }
            }
            let start = window.peek(upTo: FLACFrameHeader.maximumByteCount)
            switch FLACFrameHeader.read(start, info: self.info) {
            case .needsMore where !window.isAtEnd: return .needsMore
            case .found(let header) where header.sampleRate != nil && header.bitsPerSample != nil:
                guard let count = self.wholeFrame(header, &window) else { return .needsMore }
                guard count > 0 else { break }
                let range = from..<window.offset
                self.state = .boundary
                self.queue.append(.trouble(Self.trouble(kind, range)))
                self.expectedNumber = nil
                return self.packet(count, header, nil, &window)
            case .needsMore, .none, .found: break
            }
            self.pass(1, &window)
            self.retryCount = 0
        }
    }

    /// The trouble with bytes that belong to no frame: `badChecksum` replaces `truncated`, because
    /// more of the file follows.
    private static func trouble(
        _ kind: AudioStreamFailure.Kind,
        _ range: Range<Int64>
    ) -> AudioStreamFailure {
        AudioStreamFailure(kind == .truncated ? .badChecksum : kind, range)
    }

    /// Follows the frame at the front through its structure.
    ///
    /// While bytes are missing, the parser tries again each time that the number of bytes has
    /// doubled.
    ///
    /// - Returns: how many bytes the frame has; 0 if the bytes are not a frame; `nil` if more bytes
    ///   are needed to decide.
    private mutating func wholeFrame(_ header: FLACFrameHeader, _ window: inout ByteWindow) -> Int?
    {
        let bound = min(self.largestFrame(header), self.credit)
        let isAllHere = window.count >= bound || window.isAtEnd
        guard isAllHere || window.count >= self.retryCount else { return nil }
        let view = window.peek(upTo: bound)
        switch FLACFrameBody.extent(of: header, in: view) {
        case .complete(let count): return count
        case .invalid(let count):
            self.spend(count)
            return 0
        case .needsMore:
            guard isAllHere else {
                self.retryCount = view.count * 2
                return nil
            }
            self.spend(view.count)
            return 0
        }
    }

    /// Ends the stream without having found a further frame.
    private mutating func giveUp(
        _ from: Int64,
        _ kind: AudioStreamFailure.Kind,
        _ window: inout ByteWindow
    ) -> ParserStep {
        self.state = .end
        self.compareTotal()
        return .event(.trouble(AudioStreamFailure(kind, from..<max(from, window.offset))))
    }
}

extension ByteView {
    /// The position of the first sync code or marker of FLAC.
    ///
    /// `nil` if there is neither; even then, up to three last bytes may begin one.
    fileprivate var firstFLACFrameOrMarker: Int? {
        // The search works in blocks, because it starts again after each found place. Without
        // blocks, it would search far ahead for the other kind each time.
        let block = 256
        for start in stride(from: 0, to: self.count, by: block) {
            let part = self[start..<min(start + block + 3, self.count)]
            let sync = part.firstFLACSync(from: 0)
            var marker = part.firstIndex(of: UInt8(ascii: "f"))
            while let found = marker, !part.matches("fLaC", at: found) {
                marker = part.firstIndex(of: UInt8(ascii: "f"), from: found + 1)
            }
            if let first = [sync, marker].compactMap(\.self).min() { return start + first }
        }
        return nil
    }
}
