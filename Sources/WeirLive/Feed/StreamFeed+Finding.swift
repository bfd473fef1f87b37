// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// How a feed finds sound in bytes.
extension StreamFeed {
    /// Takes everything that the parser has found.
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
        case .format(let format): self.sampleRate = format.sampleRate
        case .packet(let packet): self.found(packet)
        case .tags, .trouble, .wanted: break
        }
    }

    private mutating func found(_ packet: AudioPacket) {
        // Both are places in bytes that came; what cannot be is taken as the nearest that can.
        let start = min(max(packet.offset, self.parserStart), self.held.end)
        let end = min(start + Int64(packet.payload.count), self.held.end)
        if !self.isProven {
            self.open(at: start)
        } else if packet.section != self.section, self.parser.container == .ogg {
            self.flush()
            // Pages of two streams may lie one in the other: then this begins before the last has ended.
            let between = min(self.provenEnd, start)..<start
            let bytes = self.held[between]
            if let range = OggHead.range(in: bytes) {
                self.link(
                    .ogg,
                    head: bytes[range],
                    at: between.lowerBound + Int64(range.lowerBound)
                )
            }
        }
        self.section = packet.section
        self.probeCount = Self.firstProbe
        self.count(packet, end: end)
        self.probeStart = self.provenEnd
    }

    /// The first packet of a parser: what lies before it is a header, or nothing.
    private mutating func open(at start: Int64) {
        let container = self.parser.container ?? .mpegAudio
        switch container {
        case .mpegAudio, .adts, .loas:
            self.begin(container, at: start)
        case .ogg:
            let before = self.held[self.held.start..<start]
            let range = OggHead.range(in: before) ?? 0..<before.count
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

    // MARK: What is no sound

    /// Looks for another format in bytes that the parser makes nothing of.
    mutating func probe() {
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

    /// A new parser for what is held from an offset on.
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
        if !bytes.isEmpty { self.parser.push(bytes) }
        if self.isFinished { self.parser.finish() }
    }

    /// The parser cannot go on.
    ///
    /// - Returns: whether another one has something to look at.
    private mutating func recovered(from error: AudioStreamError) -> Bool {
        // What a whole connection begins with says what it is; later on it is but garbage.
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
            // Nothing came that could be looked at, and nothing will.
            return false
        }
        self.restart(at: next, container: nil)
        return true
    }

    /// What came is text: a page, or a playlist.
    private mutating func refused() -> Bool {
        let bytes = self.held[self.held.start..<self.held.end]
        switch AudioTypeGuess.guess(bytes, isWhole: self.isFinished, hint: self.hint) {
        case .playlist(.hls): self.fail(PlaylistReading.segmented(self.display))
        case .playlist(let kind): self.phase = .collecting(kind)
        case .page(let page):
            self.fail(
                StationFailure(
                    .notAudio,
                    "\(self.display) sent \(page) instead of sound; it may want a log-in, or be a page's address."
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

/// The bytes of a connection that have come and belong to no packet yet, in one piece.
///
/// They are copied in: a chunk of the network, with all the memory it holds, is not kept for a few bytes of it.
struct UnprovenBytes: Sendable {
    /// Where the first lies, counted from the start of the connection's sound.
    private(set) var start: Int64 = 0
    private var storage: [UInt8] = []
    /// How many at the front of the storage are gone.
    private var gone = 0

    /// How many there are.
    var count: Int { self.storage.count - self.gone }
    /// Where the next byte will lie.
    var end: Int64 { self.start + Int64(self.count) }

    /// Bytes came.
    mutating func append(_ bytes: ByteMemory) {
        bytes.withUnsafeBytes { self.storage.append(contentsOf: $0) }
    }

    /// A copy of a part; what of it is not there is left out.
    subscript(range: Range<Int64>) -> ByteMemory {
        let lower = min(max(range.lowerBound, self.start), self.end)
        let upper = min(max(range.upperBound, lower), self.end)
        let first = self.gone + Int(lower - self.start)
        return self.storage.withUnsafeBytes { bytes in
            ByteMemory(copying: bytes[first..<first + Int(upper - lower)])
        }
    }

    /// Forgets what lies before an offset.
    mutating func drop(before offset: Int64) {
        let count = Int(min(max(offset, self.start), self.end) - self.start)
        self.start += Int64(count)
        self.gone += count
        guard self.gone >= self.storage.count / 2 else { return }
        self.storage.removeFirst(self.gone)
        self.gone = 0
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
enum OggHead {
    private static let headerCount = 27

    /// The whole pages from the first on that begins a stream.
    ///
    /// - Parameter bytes: from anywhere before that page.
    /// - Returns: where they lie in the bytes; `nil` if no stream begins there.
    static func range(in bytes: ByteMemory) -> Range<Int>? {
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start + Self.headerCount <= bytes.count {
                if Self.isPage(bytes, at: start), bytes[start + 5] & 2 != 0 {
                    var end = start
                    while let next = Self.end(bytes, ofPageAt: end) { end = next }
                    if end > start { return start..<end }
                }
                start += 1
            }
            return nil
        }
    }

    private static func isPage(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        bytes[offset] == UInt8(ascii: "O") && bytes[offset + 1] == UInt8(ascii: "g")
            && bytes[offset + 2] == UInt8(ascii: "g") && bytes[offset + 3] == UInt8(ascii: "S")
            && bytes[offset + 4] == 0 && bytes[offset + 5] < 8
    }

    /// Where a page ends; `nil` if none starts there, or not all of it is here.
    private static func end(_ bytes: UnsafeRawBufferPointer, ofPageAt offset: Int) -> Int? {
        guard offset + Self.headerCount <= bytes.count, Self.isPage(bytes, at: offset) else {
            return nil
        }
        let body = offset + Self.headerCount + Int(bytes[offset + 26])
        guard body <= bytes.count else { return nil }
        let end = bytes[(offset + Self.headerCount)..<body].reduce(body) { $0 + Int($1) }
        return end <= bytes.count ? end : nil
    }
}
