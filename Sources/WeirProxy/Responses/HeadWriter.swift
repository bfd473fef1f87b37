// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Writes a response's head into memory that is large enough; a piece that does not fit is dropped.
///
/// A general encoder makes objects of every field, and a buffer checks for each piece whether it is its only owner.
/// Together that costs more than handing over the bytes of a short range.
struct HeadWriter {
    private let start: UnsafeMutableRawPointer?
    private let capacity: Int
    /// How many bytes have been written.
    private(set) var count = 0
    /// The positions of the date and of the left-out numbers; `nil` unless the writer makes a template.
    private(set) var gaps: [Int]?

    /// Writes into memory.
    ///
    /// - Parameters:
    ///   - space: the memory.
    ///   - isTemplate: whether the writer leaves ``gaps`` for numbers that differ between responses. It writes a date,
    ///     and notes the date's position.
    init(into space: UnsafeMutableRawBufferPointer, isTemplate: Bool = false) {
        self.start = space.baseAddress
        self.capacity = space.count
        self.gaps = isTemplate ? [] : nil
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
            guard let base = digits.baseAddress else { return }
            var rest = number.magnitude
            var first = digits.count
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                first -= 1
                base.storeBytes(
                    of: UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: digit),
                    toByteOffset: first,
                    as: UInt8.self
                )
                rest = quotient
            } while rest > 0
            self.write(UnsafeRawBufferPointer(rebasing: digits[first...]))
        }
    }

    /// Writes a number that differs between responses, or leaves a gap for it.
    mutating func write(varying number: Int64) {
        guard self.gaps == nil else {
            self.gaps?.append(self.count)
            return
        }
        self.write(decimal: number)
    }

    /// Writes 16 hexadecimal digits in lower case.
    mutating func write(hexadecimal number: UInt64) {
        var digits: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            for position in 0..<16 {
                let nibble = UInt8(truncatingIfNeeded: number >> UInt64(60 - 4 * position)) & 15
                digits[position] =
                    nibble < 10 ? UInt8(ascii: "0") + nibble : UInt8(ascii: "a") - 10 + nibble
            }
            self.write(UnsafeRawBufferPointer(digits))
        }
    }

    /// Writes an entity tag with its quotes.
    mutating func write(_ tag: ServedEntityTag) {
        switch tag {
        case .origin(let text):
            self.write(text: text)
        case .generation(let generation):
            self.write("\"")
            self.write(hexadecimal: generation.rawValue)
            self.write("\"")
        }
    }

    /// Writes bytes.
    mutating func write(_ bytes: UnsafeRawBufferPointer) {
        guard let start, let source = bytes.baseAddress, bytes.count <= self.capacity - self.count
        else { return }
        (start + self.count).copyMemory(from: source, byteCount: bytes.count)
        self.count += bytes.count
    }
}

extension HeadWriter {
    /// Writes a time as HTTP does (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter seconds: since 1970, without leap seconds; a time before 1970 is written as the start of 1970, a
    ///   time after 9999 as the end of 9999.
    mutating func write(date seconds: Int64) {
        self.gaps?.append(self.count)
        let time = min(max(seconds, 0), 253_402_300_799)
        let (days, rest) = (time / 86_400, time % 86_400)
        // 1 January 1970 was a Thursday.
        self.write(Self.dayNames[Int((days + 4) % 7)])
        // Years begin on 1 March here, so that the leap day is their last day. All eras of 400 years are alike.
        let shifted = days + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let month = (5 * dayOfYear + 2) / 153
        self.write(twoDigits: dayOfYear - (153 * month + 2) / 5 + 1)
        self.write(Self.monthNames[Int(month)])
        let year = era * 400 + yearOfEra + (month < 10 ? 0 : 1)
        self.write(twoDigits: year / 100)
        self.write(twoDigits: year % 100)
        self.write(" ")
        self.write(twoDigits: rest / 3600)
        self.write(":")
        self.write(twoDigits: rest / 60 % 60)
        self.write(":")
        self.write(twoDigits: rest % 60)
        self.write(" GMT")
    }

    private mutating func write(twoDigits number: Int64) {
        let (tens, ones) = UInt16(truncatingIfNeeded: number).quotientAndRemainder(dividingBy: 10)
        // The byte to write first is the lower one.
        var digits = ((ones << 8 | tens) &+ 0x3030).littleEndian
        withUnsafeBytes(of: &digits) { self.write($0) }
    }

    private static let dayNames: [StaticString] = [
        "Sun, ", "Mon, ", "Tue, ", "Wed, ", "Thu, ", "Fri, ", "Sat, ",
    ]
    /// From March on, where the years of this calculation begin.
    private static let monthNames: [StaticString] = [
        " Mar ", " Apr ", " May ", " Jun ", " Jul ", " Aug ", " Sep ", " Oct ", " Nov ", " Dec ",
        " Jan ", " Feb ",
    ]
}
