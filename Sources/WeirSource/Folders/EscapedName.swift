// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The text for a name whose bytes cannot all be shown: `a\x0Ab.mp3` for a name with a line feed.
///
/// The names of a storage are bytes; the names on a screen, in an input and in a ``FolderPath`` are
/// text. Each of these bytes is written as `\xHH`, with two digits from `0` to `9` and `A` to `F`:
///
/// - a byte that is not part of valid UTF-8,
/// - a byte of a control character (`Cc`: U+0000 to U+001F, U+007F to U+009F) or of a line
///   separator (`Zl`, `Zp`),
/// - a backslash that would otherwise begin an escape: the name `a\x0Ab` itself is `a\x5Cx0Ab`.
///
/// Every other backslash stands for itself: `back\slash.mp3` stays as it is. From a text that
/// ``text(of:)`` made, ``bytes(of:)`` restores the name. So no two names have the same text.
package enum EscapedName {
    private static let backslash = UInt8(ascii: "\\")
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// The text of a name.
    package static func text(of bytes: some Collection<UInt8>) -> String {
        let bytes = Array(bytes)
        var out: [UInt8] = []
        out.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] < 0x80 {
                let isShown =
                    bytes[index] == self.backslash
                    ? self.escaped(bytes, at: index) == nil : !self.isControl(bytes[index])
                self.append(bytes[index], isShown: isShown, to: &out)
                index += 1
            } else if let scalar = self.scalar(bytes, at: index) {
                let width = UTF8.width(scalar)
                let isShown = !self.isHidden(scalar)
                for byte in bytes[index..<index + width] {
                    self.append(byte, isShown: isShown, to: &out)
                }
                index += width
            } else {
                self.append(bytes[index], isShown: false, to: &out)
                index += 1
            }
        }
        return String(decoding: out, as: UTF8.self)
    }

    /// The bytes that a text stands for; a text without an escape stands for itself.
    package static func bytes(of text: some StringProtocol) -> [UInt8] {
        let text = Array(text.utf8)
        var out: [UInt8] = []
        out.reserveCapacity(text.count)
        var index = 0
        while index < text.count {
            if let byte = self.escaped(text, at: index) {
                out.append(byte)
                index += 4
            } else {
                out.append(text[index])
                index += 1
            }
        }
        return out
    }

    /// The byte of an escape at an index; `nil` if no escape begins there.
    ///
    /// Only bytes that ``text(of:)`` escapes have an escape, so an escape cannot hide a slash or a
    /// dot.
    private static func escaped(_ bytes: [UInt8], at index: Int) -> UInt8? {
        guard bytes[index] == self.backslash, index + 3 < bytes.count,
            bytes[index + 1] == UInt8(ascii: "x"),
            let high = self.digits.firstIndex(of: bytes[index + 2]),
            let low = self.digits.firstIndex(of: bytes[index + 3])
        else { return nil }
        let byte = UInt8(high << 4 | low)
        return byte >= 0x80 || byte == self.backslash || self.isControl(byte) ? byte : nil
    }

    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 || byte == 0x7F }

    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }

    /// The scalar of more than one byte at an index; `nil` if the bytes are not valid UTF-8.
    private static func scalar(_ bytes: [UInt8], at index: Int) -> Unicode.Scalar? {
        let width =
            switch bytes[index] {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 0
            }
        guard width > 0, index + width <= bytes.count else { return nil }
        let part = bytes[index..<index + width]
        return String(validating: part, as: UTF8.self)?.unicodeScalars.first
    }

    private static func append(_ byte: UInt8, isShown: Bool, to out: inout [UInt8]) {
        guard !isShown else { return out.append(byte) }
        out += [
            self.backslash, UInt8(ascii: "x"), self.digits[Int(byte >> 4)],
            self.digits[Int(byte & 15)],
        ]
    }
}
