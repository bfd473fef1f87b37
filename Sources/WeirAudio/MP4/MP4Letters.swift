// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The four letters that name a box, a brand or a codec (ISO 14496-12 §4.2).
struct MP4Letters: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The letters, the first in the most significant byte.
    let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Letters of ASCII, written out; what is behind the fourth does not count.
    init(stringLiteral value: StaticString) {
        var rawValue: UInt32 = 0
        for index in 0..<min(4, value.utf8CodeUnitCount) {
            rawValue = rawValue << 8 | UInt32(value.utf8Start[index])
        }
        self.rawValue = rawValue
    }

    /// The letters as text, each byte the code point of its number, as in `©nam`.
    var text: String {
        var text = ""
        for shift: UInt32 in [24, 16, 8, 0] {
            text.unicodeScalars.append(
                Unicode.Scalar(UInt8(truncatingIfNeeded: self.rawValue >> shift))
            )
        }
        return text
    }
}
