// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Distinguishes pages of text and playlists from audio.
extension Sniffing {
    /// How many bytes decide whether a stream is text; fewer if the stream ends earlier.
    static let textCount = 1024

    /// The kind of text.
    ///
    /// - Parameters:
    ///   - view: at least ``textCount`` bytes, or all bytes of the stream; further bytes are
    ///     ignored.
    ///   - hint: names the playlist kind of a list of addresses or paths.
    /// - Returns: `nil` if the bytes are not text.
    static func text(_ view: ByteView, hint: AudioTypeHint) -> Sniffing? {
        let view = view[0..<min(view.count, Self.textCount)]
        guard Self.isWideText(view) || Self.isPrintable(view) else { return nil }
        let text = PlaylistText(view)
        if let kind = text.kind { return .playlist(kind) }
        guard Self.isText(view) else { return nil }
        let start = PlaylistText.trimmed(text.units[...])
        guard !start.isEmpty else { return nil }
        if let page = text.page { return .page(page) }
        if hint.playlist != nil || text.beginsWithAddress {
            return .playlist(hint.playlist ?? .m3u)
        }
        let isJSON = start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "[")
        return .page(isJSON ? .json : .text)
    }

    /// Whether there are no control characters, and no byte 0xFF: no text has this byte, and every
    /// header of MPEG audio or ADTS has it.
    private static func isPrintable(_ view: ByteView) -> Bool {
        (0..<view.count).allSatisfy { index in
            switch view[index] {
            case 9, 10, 12, 13, 0x20...0x7E, 0x80...0xFE: true
            default: false
            }
        }
    }

    /// Whether bytes without control characters are a text: UTF-8, or at least three quarters
    /// ASCII.
    private static func isText(_ view: ByteView) -> Bool {
        if Self.isWideText(view) { return true }
        let high = (0..<view.count).count { view[$0] >= 0x80 }
        // An audio frame that happens to have no control character is short, and most of its bytes
        // are high.
        return view.count >= 4 && (high * 4 <= view.count || Self.isUTF8(view))
    }

    /// Whether all characters are UTF-8; the last may be cut off.
    private static func isUTF8(_ view: ByteView) -> Bool {
        var bytes = (0..<view.count).map { view[$0] }
        if let last = bytes.suffix(4).lastIndex(where: { $0 >= 0xC0 }) {
            let needed = bytes[last] >= 0xF0 ? 4 : bytes[last] >= 0xE0 ? 3 : 2
            if bytes.count - last < needed { bytes.removeSubrange(last...) }
        }
        return String(validating: bytes, as: UTF8.self) != nil
    }

    /// Whether the bytes are UTF-16 with a byte order mark, and every second byte at their start is
    /// 0.
    private static func isWideText(_ view: ByteView) -> Bool {
        guard view.count >= 8 else { return false }
        let mark: UInt16 = view.big(0)
        guard mark == 0xFFFE || mark == 0xFEFF else { return false }
        let zero = mark == 0xFFFE ? 1 : 0
        return [2, 4, 6].allSatisfy { view[$0 + zero] == 0 && view[$0 + 1 - zero] >= 9 }
    }
}
