// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Looks at the first bytes of a body for a page for a browser.
///
/// A sign-in page or an error with status 200 must be found before a byte of it is handed on, or a
/// cache would keep it as the media. The bytes decide. Where the type is that of a page, any text is taken for one but a
/// list, of whatever ``/WeirSource/ListForm``: that, and what is not text, is media that a server has typed wrongly.
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
    static let limit = Int(RequestedRange.headLength)

    private let isTypedAsPage: Bool
    private var bytes: [UInt8] = []

    /// - Parameter isTypedAsPage: whether the head says that a page comes.
    init(isTypedAsPage: Bool = false) {
        self.isTypedAsPage = isTypedAsPage
    }

    /// How many bytes it has seen.
    var count: Int { self.bytes.count }

    /// More of the first bytes came.
    mutating func received(_ memory: ByteMemory) -> Finding {
        let room = Self.limit - self.bytes.count
        let taken = min(room, memory.count)
        self.bytes += memory[0..<taken].withUnsafeBytes { Array($0) }
        // What is no page shows it with its first visible byte, so that media never waits.
        if self.isTypedAsPage {
            if !self.isText { return .other }
        } else if let visible = self.visible, visible != UInt8(ascii: "<") {
            return .other
        }
        guard self.bytes.count >= Self.limit else { return .undecided }
        return self.ended(isWhole: false)
    }

    /// No more will come.
    ///
    /// - Parameter isWhole: whether the resource ends here, too.
    /// - Returns: what the bytes are; never ``Finding/undecided``.
    func ended(isWhole: Bool) -> Finding {
        if self.bytes.withUnsafeBytes({ ListForm(of: $0) }) != nil { return .other }
        let type = self.bytes.withUnsafeBytes { MediaType.sniffed(from: $0) }
        if type?.isHTML == true { return .page }
        guard self.isTypedAsPage, let visible = self.visible, type?.isMedia != true, self.isText
        else { return .other }
        // The first letters of a tag or of a container may be text; so many are not.
        let isLong = isWhole || self.bytes.count >= Self.limit
        return isLong || visible == UInt8(ascii: "<") ? .page : .other
    }

    /// Whether the bytes are HTML, and not another text in its place.
    var isHTML: Bool {
        let type = self.bytes.withUnsafeBytes { MediaType.sniffed(from: $0) }
        return type?.isHTML == true || self.isWide
            || self.visible == UInt8(ascii: "<") && type == nil
    }

    /// The first byte that is neither a mark nor a space.
    private var visible: UInt8? {
        self.bytes.dropFirst(self.markLength).first { !Self.isSpace($0) }
    }

    private var isWide: Bool {
        [[0xFF, 0xFE, 0x3C, 0], [0xFE, 0xFF, 0, 0x3C]].contains(self.bytes.prefix(4))
    }

    /// Whether no byte is one that no text has; of a page in UTF-16 every other one is.
    private var isText: Bool {
        self.isWide
            || self.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || Self.isSpace($0) || $0 == 0x1B }
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
