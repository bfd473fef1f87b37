// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Checks whether the first bytes of a body are a browser page.
///
/// A sign-in page or an error with status 200 must be found before the reader gets a byte.
/// Otherwise a cache would keep the page as the media. The bytes decide, not the type in the head.
/// If that type is a page, any text counts as a page except a list of any ``/WeirSource/ListForm``.
/// A list or a body that is not text is media with a wrong type.
struct PageGuard {
    /// The finding about the first bytes.
    enum Finding {
        /// Too few bytes have arrived.
        case undecided
        /// A browser page.
        case page
        /// Anything else.
        case other
    }

    /// The number of bytes that suffice for a decision.
    static let limit = Int(RequestedRange.headLength)

    private let isTypedAsPage: Bool
    private var bytes: [UInt8] = []

    /// - Parameter isTypedAsPage: whether the head gives the type of a page.
    init(isTypedAsPage: Bool = false) {
        self.isTypedAsPage = isTypedAsPage
    }

    /// How many bytes the guard has seen.
    var count: Int { self.bytes.count }

    /// Takes more of the first bytes.
    mutating func received(_ memory: ByteMemory) -> Finding {
        let room = Self.limit - self.bytes.count
        let taken = min(room, memory.count)
        self.bytes += memory[0..<taken].withUnsafeBytes { Array($0) }
        // The first visible byte usually rules a page out, so media does not wait.
        if self.isTypedAsPage {
            if !self.isText { return .other }
        } else if let visible = self.visible, visible != UInt8(ascii: "<") {
            return .other
        }
        guard self.bytes.count >= Self.limit else { return .undecided }
        return self.ended(isWhole: false)
    }

    /// Decides when no more bytes follow.
    ///
    /// - Parameter isWhole: whether the resource also ends at this position.
    /// - Returns: the finding; never ``Finding/undecided``.
    func ended(isWhole: Bool) -> Finding {
        if self.bytes.withUnsafeBytes({ ListForm(of: $0) }) != nil { return .other }
        let type = self.bytes.withUnsafeBytes { MediaType.sniffed(from: $0) }
        if type?.isHTML == true { return .page }
        guard self.isTypedAsPage, let visible = self.visible, type?.isMedia != true, self.isText
        else { return .other }
        // A few bytes of a tag or a container can look like text; as many as `limit` cannot.
        let isLong = isWhole || self.bytes.count >= Self.limit
        return isLong || visible == UInt8(ascii: "<") ? .page : .other
    }

    /// Whether the bytes are HTML, and not another kind of text.
    var isHTML: Bool {
        let type = self.bytes.withUnsafeBytes { MediaType.sniffed(from: $0) }
        return type?.isHTML == true || self.isWide
            || self.visible == UInt8(ascii: "<") && type == nil
    }

    /// The first byte that is neither part of a byte order mark nor white space.
    private var visible: UInt8? {
        self.bytes.dropFirst(self.markLength).first { !Self.isSpace($0) }
    }

    private var isWide: Bool {
        [[0xFF, 0xFE, 0x3C, 0], [0xFE, 0xFF, 0, 0x3C]].contains(self.bytes.prefix(4))
    }

    /// Whether every byte can occur in text; a page in UTF-16 also counts as text.
    private var isText: Bool {
        self.isWide
            || self.bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || Self.isSpace($0) || $0 == 0x1B }
    }

    /// The length of a UTF-8 byte order mark, or of its beginning.
    private var markLength: Int {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = self.bytes.prefix(3)
        return start.elementsEqual(mark.prefix(start.count)) ? start.count : 0
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }
}
