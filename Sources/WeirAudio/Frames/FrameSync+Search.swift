// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FrameSync {
    /// The first run of frames, or tag, among some bytes.
    enum Sign {
        /// A run of frames, with its first header and the size of frames in free format.
        case run(Int, Header, freeSize: Int)
        /// A possible tag.
        case tag(Int)
        /// A possible run or tag; the parser needs more bytes to decide.
        case needsMore(Int)
        /// Foreign bytes only.
        case none
    }

    /// How many bytes one search examines.
    private static var piece: Int { 4096 }

    /// Drops bytes until a run of frames is at the front.
    ///
    /// - Returns: `nil` when a run is at the front.
    mutating func search(_ window: inout ByteWindow) -> Step? {
        // Every iteration drops bytes or ends.
        while true {
            if self.mayBeTag {
                self.askedAt = window.offset
                switch self.tags.read(&window) {
                case .found(let event):
                    // The tag reader has already reported the rest of the tag.
                    if self.tags.isEndLost { self.isJoining = true }
                    return .event(event)
                case .needsMore:
                    if !window.isAtEnd { return .needsMore }
                    self.mayBeTag = false
                case .none:
                    if window.count == 0, !window.isAtEnd { return .needsMore }
                    self.mayBeTag = false
                }
            }
            let judged = min(window.count - Header.byteCount + 1, Self.piece)
            let tagStart = self.askedAt == window.offset ? 1 : 0
            switch self.firstSign(in: &window, from: 0, tagsFrom: tagStart, to: max(0, judged)) {
            case .run(let position, let header, let freeSize):
                self.pass(position, &window)
                self.began(header, freeSize: freeSize)
                if let event = self.garbage(upTo: window.offset) { return .event(event) }
                self.isJoining = false
                return nil
            case .tag(let position):
                self.pass(position, &window)
                self.mayBeTag = true
                if let event = self.garbage(upTo: window.offset) { return .event(event) }
            case .needsMore(let position):
                self.pass(position, &window)
                return .needsMore
            case .none:
                self.pass(max(0, judged), &window)
                if window.count >= Header.byteCount { continue }
                guard window.isAtEnd else { return .needsMore }
                self.pass(window.count, &window)
                if let event = self.garbage(upTo: window.offset) { return .event(event) }
                return .ended
            }
        }
    }

    /// Drops foreign bytes.
    private mutating func pass(_ count: Int, _ window: inout ByteWindow) {
        if count > 0, self.garbageStart == nil { self.garbageStart = window.offset }
        window.drop(count)
    }

    /// The trouble event about foreign bytes, once.
    private mutating func garbage(upTo end: Int64) -> AudioStreamEvent? {
        defer {
            self.garbageStart = nil
            self.isJoining = false
        }
        guard let start = self.garbageStart, start < end, !self.isJoining else { return nil }
        return .trouble(AudioStreamFailure(.garbage, start..<end))
    }

    /// Looks for frames and tags.
    ///
    /// - Parameters:
    ///   - window: the stream.
    ///   - start: the first position to examine, counted from the front of the window.
    ///   - tagStart: the first position where a tag may be.
    ///   - end: the end of the examined positions; the window has these bytes.
    /// - Returns: the first sign, with its position counted from the front of the window.
    mutating func firstSign(
        in window: inout ByteWindow,
        from start: Int,
        tagsFrom tagStart: Int,
        to end: Int
    ) -> Sign {
        guard start < end else { return .none }
        var index = start
        var view = window.peek(upTo: end + Header.byteCount - 1)
        while index < end, index + Header.byteCount <= view.count {
            let byte = view.base[index]
            if byte == 0xFF {
                if let header = Header(view, at: index) {
                    switch self.confirm(header, at: index, &window) {
                    case .found(let freeSize): return .run(index, header, freeSize: freeSize)
                    case .needsMore: return .needsMore(index)
                    case .none: view = window.peek(upTo: end + Header.byteCount - 1)
                    }
                }
            } else if index >= tagStart, view.mayBeTag(at: index) {
                switch self.confirmTag(at: index, &window) {
                case .found: return .tag(index)
                case .needsMore: return .needsMore(index)
                case .none: view = window.peek(upTo: end + Header.byteCount - 1)
                }
            }
            index += 1
        }
        return .none
    }

    /// Whether a tag among foreign bytes is real: its header is whole, or it is an ID3v1 tag at the
    /// very end.
    private mutating func confirmTag(at index: Int, _ window: inout ByteWindow) -> Reading<Int> {
        if window.count - index <= 128, !window.isAtEnd {
            self.wait(for: index + 129, window)
            return .needsMore
        }
        let view = window.peek(upTo: index + 11)
        if view.matches("TAG", at: index) { return window.count - index == 128 ? .found(0) : .none }
        if view.matches("APETAGEX", at: index) || view.matches("LYRICSBEGIN", at: index) {
            return .found(0)
        }
        guard view.count - index >= 10, view.matches("ID3", at: index), view[index + 4] != 0xFF
        else {
            return .none
        }
        // The four bytes of the size have seven bits each.
        return view.big(index + 6, UInt32.self) & 0x8080_8080 == 0 ? .found(0) : .none
    }
}

extension ByteView {
    /// Whether the first letters of a tag are at an offset; the view has at least four bytes from
    /// there.
    ///
    /// The tags are ID3v2 (`ID3`, and a version that is used), ID3v1 (`TAG`), APE (`APETAGEX`),
    /// Lyrics3 (`LYRICSBEGIN`).
    func mayBeTag(at offset: Int) -> Bool {
        switch self[offset] {
        case UInt8(ascii: "I"):
            self.matches("ID3", at: offset) && (2...4).contains(self[offset + 3])
        case UInt8(ascii: "T"): self.matches("TAG", at: offset)
        case UInt8(ascii: "A"): self.matches("APET", at: offset)
        case UInt8(ascii: "L"): self.matches("LYRI", at: offset)
        default: false
        }
    }
}
