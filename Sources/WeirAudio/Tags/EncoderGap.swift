// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The contents of iTunes' field `iTunSMPB`: how many samples an encoder added at both ends.
struct EncoderGap: Hashable, Sendable {
    /// Samples to drop at the start, without the decoder's own delay.
    var delay: Int64
    /// Samples to drop at the end.
    var padding: Int64
    /// Samples of the source.
    var sampleCount: Int64

    /// A number of samples to drop at the start; the end is unknown.
    init(delay: Int64) {
        self.delay = delay
        self.padding = 0
        self.sampleCount = 0
    }

    /// Reads the text of the field: hexadecimal numbers, of which the second, third and fourth are
    /// used.
    ///
    ///      00000000 00000840 000001CA 00000000003F31F6 00000000 …
    ///      (unused) delay    padding  samples          …
    ///
    /// Fails if the text does not have this form.
    ///
    /// - Parameter text: as stored; white space may precede it, and anything may follow the fourth
    ///   number.
    init?(_ text: String) {
        let words = text.utf8.split(maxSplits: 4, omittingEmptySubsequences: true) {
            $0 <= UInt8(ascii: " ")
        }
        guard words.count >= 4,
            Self.number(words[0], limit: 16) != nil,
            let delay = Self.number(words[1], limit: 8),
            let padding = Self.number(words[2], limit: 8),
            let sampleCount = Self.number(words[3], limit: 15)
        else { return nil }
        self.delay = delay
        self.padding = padding
        self.sampleCount = sampleCount
    }

    /// A hexadecimal number without sign; `nil` if it has more digits than the limit, not counting
    /// leading zeros.
    private static func number(_ word: Substring.UTF8View, limit: Int) -> Int64? {
        guard !word.isEmpty else { return nil }
        var value: UInt64 = 0
        var digits = 0
        for byte in word {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            if value != 0 || digit != 0 { digits += 1 }
            guard digits <= limit else { return nil }
            value = value << 4 | UInt64(digit)
        }
        return Int64(exactly: value)
    }
}
