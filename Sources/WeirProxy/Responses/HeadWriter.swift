// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Writes a response's head into memory that is large enough, and stops at its end if it is not.
///
/// A general encoder makes objects of every field, and a buffer checks for each piece whether it is
/// its only owner; together that costs more than handing over the bytes of a short range.
struct HeadWriter {
    private let start: UnsafeMutableRawPointer?
    private let capacity: Int
    /// How many bytes have been written.
    private(set) var count = 0

    init(into space: UnsafeMutableRawBufferPointer) {
        self.start = space.baseAddress
        self.capacity = space.count
    }

    /// Writes constant text.
    mutating func write(_ text: StaticString) {
        text.withUTF8Buffer { self.write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes text.
    mutating func write(text: String) {
        var text = text
        text.withUTF8 { self.write(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a number of 0 or more in decimal digits.
    mutating func write(decimal number: Int64) {
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var rest = number.magnitude
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            self.write(UnsafeRawBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Writes 16 hexadecimal digits in lower case.
    mutating func write(hexadecimal number: UInt64) {
        var digits: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            for place in 0..<16 {
                let nibble = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * place)) & 15
                digits[place] =
                    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
            }
            self.write(UnsafeRawBufferPointer(digits))
        }
    }

    /// Writes an entity tag with its quotes.
    mutating func write(_ tag: EntityTag) {
        switch tag {
        case .origin(let text):
            self.write(text: text)
        case .generation(let generation):
            self.write("\"")
            self.write(hexadecimal: generation.rawValue)
            self.write("\"")
        }
    }

    private mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let start, let source = bytes.baseAddress, bytes.count <= self.capacity - self.count
        else { return }
        (start + self.count).copyMemory(from: source, byteCount: bytes.count)
        self.count += bytes.count
    }
}
