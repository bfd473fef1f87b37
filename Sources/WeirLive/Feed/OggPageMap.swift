// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The positions of an Ogg stream's pages: they show the parts of a packet that crosses pages.
struct OggPageMap: Sendable {
    /// How many pages are kept at most; a stream reaches this number only where no packet ends.
    private static let capacity = 4096

    private var walk = OggPageWalk()
    private var pages: [OggPageSpan] = []

    /// The end of the last page that has begun, even if it is not complete yet.
    var end: Int64 { self.pages.last?.end ?? 0 }

    /// Takes the next bytes of the stream.
    mutating func push(_ bytes: ByteMemory, at offset: Int64) {
        self.pages += self.walk.push(bytes, at: offset)
        if self.pages.count > Self.capacity {
            self.pages.removeFirst(self.pages.count - Self.capacity / 2)
        }
    }

    /// Forgets everything: the next bytes come from elsewhere.
    mutating func restart() {
        self.walk.restart()
        self.pages = []
    }

    /// Forgets the pages that end at or before an offset.
    mutating func drop(before offset: Int64) {
        let count = self.pages.firstIndex { $0.end > offset } ?? self.pages.count
        self.pages.removeFirst(count)
    }

    /// The byte ranges of a packet.
    ///
    /// - Parameters:
    ///   - offset: the packet's first byte.
    ///   - count: how many bytes it has.
    /// - Returns: its parts in order, with `count` bytes in all; `nil` if its pages are not known.
    func parts(at offset: Int64, count: Int) -> [Range<Int64>]? {
        guard var index = self.pages.lastIndex(where: { $0.offset <= offset }) else { return nil }
        let serial = self.pages[index].serial
        var parts: [Range<Int64>] = []
        var start = offset
        var left = Int64(count)
        while true {
            let end = min(self.pages[index].end, start + left)
            guard start < end else { return nil }
            parts.append(start..<end)
            left -= end - start
            guard left > 0 else { return parts }
            // Pages of another stream may be between the packet's pages.
            let next = self.pages[(index + 1)...].firstIndex { $0.serial == serial }
            guard let next, self.pages[next].isContinued else { return nil }
            index = next
            start = self.pages[next].offset + Int64(self.pages[next].headerCount)
        }
    }
}
