// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// How a feed finds sound in bytes.
extension StreamFeed {
    /// Takes every event that the parser has found.
    mutating func drain() {
        while true {
            do throws(AudioStreamError) {
                while let event = try self.parser.next() { self.found(event) }
                self.flush()
                return
            } catch {
                self.flush()
                guard self.recovered(from: error) else { return }
            }
        }
    }

    private mutating func found(_ event: AudioStreamEvent) {
        switch event {
        case .format(let format):
            self.sampleRate = format.sampleRate
            self.note(.format(format))
        case .packet(let packet): self.found(packet)
        case .tags(var tags):
            // A station needs only its texts; pictures and chapters would stay in memory for half
            // an hour, uncounted.
            tags.pictures = []
            tags.chapters = []
            self.note(.tags(tags))
        case .trouble(let trouble): if self.isProven { self.note(.trouble(trouble)) }
        case .wanted: break
        }
    }

    private mutating func found(_ packet: AudioPacket) {
        // Both are offsets of bytes that arrived; impossible values are clamped.
        let start = min(max(packet.offset, self.parserStart), self.held.end)
        let end = min(start + Int64(packet.payload.count), self.held.end)
        let parts = self.parts(of: packet, in: start..<end)
        if !self.isProven {
            self.open(at: start)
        } else if packet.section != self.section, self.parser.container == .ogg {
            self.flush()
            // Pages of two streams may interleave: then this packet begins before the last one has
            // ended.
            let between = min(self.provenEnd, start)..<start
            let bytes = self.held[between]
            if let range = bytes.oggStreamHead() {
                self.link(
                    .ogg,
                    head: bytes[range],
                    at: between.lowerBound + Int64(range.lowerBound)
                )
            }
        }
        self.section = packet.section
        self.probeCount = Self.firstProbe
        self.count(packet, parts: parts, isThere: self.isThere(packet, in: parts))
        self.probeStart = self.provenEnd
    }

    /// The byte ranges of a packet, one for each page that it crosses.
    ///
    /// - Parameters:
    ///   - packet: the parser's packet.
    ///   - position: its range if its bytes are contiguous.
    /// - Returns: its parts in order, at least one.
    private func parts(of packet: AudioPacket, in position: Range<Int64>) -> [Range<Int64>] {
        guard self.parser.container == .ogg,
            let parts = self.pages.parts(at: position.lowerBound, count: packet.payload.count),
            let end = parts.last?.upperBound, end <= self.held.end
        else { return [position] }
        return parts
    }

    /// Whether the parts contain the packet: behind a damaged page, the packet may continue
    /// elsewhere.
    private func isThere(_ packet: AudioPacket, in parts: [Range<Int64>]) -> Bool {
        guard self.parser.container == .ogg else { return true }
        return packet.payload.array == parts.flatMap { self.held[$0].array }
    }

    /// A parser found its first packet: the bytes before it are a header, or are dropped.
    private mutating func open(at start: Int64) {
        let container = self.parser.container ?? .mpegAudio
        switch container {
        case .mpegAudio, .adts, .loas:
            self.begin(container, at: start)
        case .ogg:
            let before = self.held[self.held.start..<start]
            let range = before.oggStreamHead() ?? 0..<before.count
            let first = self.held.start + Int64(range.lowerBound)
            self.begin(container, at: first)
            self.link(container, head: before[range], at: first)
        case .flac, .wave, .mp4:
            let first = max(self.held.start, self.parserStart)
            let head = self.held[first..<start]
            self.begin(container, at: first)
            self.link(container, head: head, at: first)
        }
    }

    // MARK: Bytes without sound

    /// Looks for another format in bytes in which the parser finds nothing.
    mutating func probe() {
        // A packet of Ogg may be longer than the probe, in pages that follow each other.
        if self.parser.container == .ogg {
            self.probeStart = max(self.probeStart, min(self.pages.end, self.held.end))
        }
        while true {
            let start = max(self.probeStart, self.held.start)
            let end = self.held.end
            guard end - start >= Int64(self.probeCount) else { return }
            let bytes = self.held[start..<min(end, start + Int64(Self.lastProbe))]
            let guess = AudioTypeGuess.guess(bytes, isWhole: false)
            if case .container(let container, let count) = guess, count > 0,
                let current = self.parser.container, container != current
            {
                self.restart(at: start, container: container)
                self.drain()
                return
            }
            if self.probeCount < Self.lastProbe {
                self.probeCount = min(self.probeCount * 2, Self.lastProbe)
            } else {
                self.probeStart = start + Int64(Self.stride)
            }
        }
    }

    /// Starts a new parser for the held bytes from an offset on.
    private mutating func restart(at offset: Int64, container: AudioContainer?) {
        self.parserStart = min(max(offset, self.held.start), self.held.end)
        self.parser =
            container.map {
                AudioStreamParser(
                    container: $0,
                    startingAt: self.parserStart,
                    limits: Self.limits
                )
            }
            ?? AudioStreamParser(
                hint: self.hint,
                startingAt: self.parserStart,
                limits: Self.limits
            )
        self.isProven = false
        self.section = 0
        self.probeStart = self.parserStart
        self.probeCount = Self.firstProbe
        let bytes = self.held[self.parserStart..<self.held.end]
        self.pages.restart()
        self.pages.push(bytes, at: self.parserStart)
        if !bytes.isEmpty { self.parser.push(bytes) }
        if self.isFinished { self.parser.finish() }
    }

    /// Handles an error after which the parser cannot continue.
    ///
    /// - Returns: whether a new parser has bytes to parse.
    private mutating func recovered(from error: AudioStreamError) -> Bool {
        // At the beginning of a connection the error shows the kind of the body; later it means
        // garbage.
        if self.parserStart == 0, !self.isProven, error.code == .notAudio {
            return self.refused()
        }
        if self.parserStart == 0, !self.isProven, error.code == .unsupported {
            self.fail(
                StationFailure(
                    .notAudio,
                    "\(self.display): \(error.reason).",
                    isRefusal: true
                )
            )
            return false
        }
        let next = min(
            max(self.parserStart + Int64(Self.stride), self.parser.offset),
            self.held.end
        )
        guard next > self.parserStart else {
            // A new parser would begin at the same byte.
            return false
        }
        self.restart(at: next, container: nil)
        return true
    }

    /// The body is text: a page, or a playlist.
    private mutating func refused() -> Bool {
        let bytes = self.held[self.held.start..<self.held.end]
        switch AudioTypeGuess.guess(bytes, isWhole: self.isFinished, hint: self.hint) {
        case .playlist(.hls): self.fail(.segmentedPlaylist(from: self.display))
        case .playlist(let kind): self.phase = .collecting(kind)
        case .page(let page):
            self.fail(
                StationFailure(
                    .notAudio,
                    "\(self.display) sent \(page) instead of sound; \(page.advice)."
                )
            )
        case .container, .unknown, .needsMore:
            self.fail(
                StationFailure(.notAudio, "\(self.display) sent text instead of sound.")
            )
        }
        return false
    }
}

/// Finds the pages with which an Ogg stream begins (RFC 3533 §6).
///
///     offset 0   "OggS"
///            4   version, 0
///            5   flags               2: first of its stream
///           26   number of segments, n
///           27   sizes of the segments
///       27 + n   the segments
extension ByteMemory {
    private static let oggHeaderCount = 27

    /// The complete consecutive pages from the first page that begins a stream.
    ///
    /// - Returns: their range in the bytes; `nil` if no stream begins in them.
    func oggStreamHead() -> Range<Int>? {
        self.withUnsafeBytes { bytes in
            var start = 0
            while start + Self.oggHeaderCount <= bytes.count {
                if Self.isOggPage(bytes, at: start), bytes[start + 5] & 2 != 0 {
                    var end = start
                    while let next = Self.end(bytes, ofOggPageAt: end) { end = next }
                    if end > start { return start..<end }
                }
                start += 1
            }
            return nil
        }
    }

    private static func isOggPage(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        bytes[offset] == UInt8(ascii: "O") && bytes[offset + 1] == UInt8(ascii: "g")
            && bytes[offset + 2] == UInt8(ascii: "g") && bytes[offset + 3] == UInt8(ascii: "S")
            && bytes[offset + 4] == 0 && bytes[offset + 5] < 8
    }

    /// Where a page ends; `nil` if no page starts at the offset, or if it is incomplete.
    private static func end(_ bytes: UnsafeRawBufferPointer, ofOggPageAt offset: Int) -> Int? {
        guard offset + Self.oggHeaderCount <= bytes.count, Self.isOggPage(bytes, at: offset) else {
            return nil
        }
        let body = offset + Self.oggHeaderCount + Int(bytes[offset + 26])
        guard body <= bytes.count else { return nil }
        let end = bytes[(offset + Self.oggHeaderCount)..<body].reduce(body) { $0 + Int($1) }
        return end <= bytes.count ? end : nil
    }
}
