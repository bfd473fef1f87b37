// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Looks at the first bytes of a resource for a page that nothing in the head announced.
///
/// A sign-in page or an error with status 200 must be found before a byte of it is handed on, or a
/// cache would keep it as the media.
struct PageGuard {
    /// What the first bytes say.
    enum Finding {
        /// Too few came.
        case undecided
        /// A page for a browser.
        case page
        /// Anything else.
        case other
    }

    /// So many bytes decide in any case.
    static let limit = 512

    private var bytes: [UInt8] = []

    /// More of the first bytes came.
    mutating func received(_ memory: ByteMemory) -> Finding {
        let room = Self.limit - self.bytes.count
        let taken = min(room, memory.count)
        self.bytes += memory[0..<taken].withUnsafeBytes { Array($0) }
        // What is no page shows it with its first visible byte, so that media never waits.
        let visible = self.bytes.dropFirst(self.markLength).first { !Self.isSpace($0) }
        if let visible, visible != UInt8(ascii: "<") { return .other }
        guard self.bytes.count >= Self.limit else { return .undecided }
        return self.ended()
    }

    /// No more will come.
    func ended() -> Finding {
        let type = self.bytes.withUnsafeBytes { MediaType.sniffed(from: $0) }
        return type?.isHTML == true ? .page : .other
    }

    /// The length of a UTF-8 byte order mark, or of what may become one.
    private var markLength: Int {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = self.bytes.prefix(3)
        return start.elementsEqual(mark.prefix(start.count)) ? start.count : 0
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
