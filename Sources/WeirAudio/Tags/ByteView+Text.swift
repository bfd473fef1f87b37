// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ByteView {
    /// Whether there are no bytes.
    var isEmpty: Bool { self.count == 0 }

    /// The bytes as Latin-1 text (ISO 8859-1: every byte is the code point of its number).
    var latin1Text: String {
        var units: [UInt8] = []
        units.reserveCapacity(self.count)
        for index in 0..<self.count {
            let byte = self[index]
            if byte < 0x80 {
                units.append(byte)
            } else {
                units.append(0xC0 | byte >> 6)
                units.append(0x80 | byte & 0x3F)
            }
        }
        return String(decoding: units, as: UTF8.self)
    }

    /// The bytes as UTF-8 text; what is not UTF-8 becomes U+FFFD.
    var utf8Text: String {
        String(decoding: UnsafeBufferPointer(start: self.base, count: self.count), as: UTF8.self)
    }

    /// The bytes as UTF-8 text; `nil` if any of them is not UTF-8.
    var strictUTF8Text: String? {
        String(validating: UnsafeBufferPointer(start: self.base, count: self.count), as: UTF8.self)
    }

    /// What is left of the view from an offset on; nothing if the offset lies at its end or behind it.
    func from(_ offset: Int) -> ByteView {
        self[min(max(0, offset), self.count)..<self.count]
    }
}
