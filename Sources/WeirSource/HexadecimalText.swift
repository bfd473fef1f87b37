// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension String {
    /// 16 hexadecimal digits in lower case for each number.
    ///
    /// The names of a resource's files consist of such digits, so this is a part of opening it. The standard library's
    /// text of a number in another radix takes ten times as long.
    package init(hexadecimalDigitsOf first: UInt64, _ second: UInt64? = nil) {
        self.init(unsafeUninitializedCapacity: 32) { space in
            let words = second.map { (first, $0) } ?? (first, 0)
            Self.write(words.0, to: space, at: 0)
            guard second != nil else { return 16 }
            Self.write(words.1, to: space, at: 16)
            return 32
        }
    }

    private static func write(
        _ word: UInt64,
        to space: UnsafeMutableBufferPointer<UInt8>,
        at start: Int
    ) {
        for position in 0..<16 {
            let nibble = UInt8(truncatingIfNeeded: word >> UInt64(60 - 4 * position)) & 15
            let base = nibble < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10
            space.initializeElement(at: start + position, to: base + nibble)
        }
    }
}

extension UInt8 {
    /// The value of the byte as a hexadecimal digit of either case; `nil` for any other byte.
    package var hexDigitValue: UInt8? {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): self - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): self - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
