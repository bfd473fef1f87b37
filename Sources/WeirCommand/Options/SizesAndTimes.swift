// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// A value whose error messages name its valid forms.
protocol DescribedArgument: ExpressibleByArgument {
    /// The valid forms, with units and an example, as the text after "write".
    static var forms: String { get }
}

extension DescribedArgument {
    /// Reads the value of an option.
    ///
    /// - Throws: `ValidationError` with ``forms``; the parser puts the value and the option before
    ///   it.
    static func read(_ text: String) throws -> Self {
        guard let value = Self(argument: text) else {
            throw ValidationError("write \(Self.forms).")
        }
        return value
    }
}

/// A number of bytes in a person's notation: `2GiB`, `1.5 GB`, `500kB`, `65536`.
///
/// Output uses powers of 1000 only.
struct ByteSize: Hashable, Sendable, DescribedArgument {
    static let forms = "a number with B, kB, MB, GB, TB, KiB, MiB, GiB or TiB, as in 20GB or 1.5GiB"

    /// The number, 0 or more.
    let bytes: Int64

    init(bytes: Int64) {
        self.bytes = bytes
    }

    /// Reads a number with an optional unit.
    ///
    /// Units of powers of 1000 are B, kB, MB, GB and TB. Units of powers of 1024 are KiB, MiB, GiB
    /// and TiB, or the single letters k, M, G and T. Case does not matter, and blanks may precede
    /// the unit.
    init?(argument: String) {
        let text = argument.lowercased()
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number.isFinite, number >= 0 else { return nil }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let factor = ByteSize.factors[String(unit)] else { return nil }
        let bytes = number * factor
        // A larger number is a mistake, and an addition to it could overflow.
        guard bytes <= 0x1p62 else { return nil }
        self.bytes = Int64(bytes.rounded())
    }

    private static let factors: [String: Double] = [
        "": 1, "b": 1,
        "k": 1024, "kib": 1024, "kb": 1000,
        "m": 1_048_576, "mib": 1_048_576, "mb": 1_000_000,
        "g": 1_073_741_824, "gib": 1_073_741_824, "gb": 1_000_000_000,
        "t": 1_099_511_627_776, "tib": 1_099_511_627_776, "tb": 1_000_000_000_000,
    ]

    /// Writes a number of bytes for a person: `1.4 MB`.
    static func format(_ bytes: Int64) -> String {
        let units = ["kB", "MB", "GB", "TB"]
        guard bytes >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes) / 1000
        var unit = 0
        while value >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let tenths = (value * 10).rounded() / 10
        return "\(tenths) \(units[unit])"
    }
}

/// A time in a person's notation: `90s`, `5m`, `2 h`, `1.5h`, `30d`.
struct TimeSpan: DescribedArgument, Hashable, Sendable {
    static let forms = "a number with s, m, h or d, as in 90s or 12h"

    /// Whole seconds, at most a century.
    let seconds: Int64

    var duration: Duration { .seconds(self.seconds) }

    /// Reads a number and its unit, and rounds up to a whole second.
    init?(argument: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let letter = argument.last, let unit = units[letter],
            let number = PlayTime.number(argument.dropLast())
        else { return nil }
        // A longer time is a mistake.
        let seconds = number * unit
        guard seconds <= 100 * 366 * 86_400 else { return nil }
        self.seconds = Int64(seconds.rounded(.up))
    }
}

extension Date {
    /// Date and time to the minute, in the local time zone, as lists show them.
    var listed: String {
        var seconds = time_t(max(0, min(self.timeIntervalSince1970, 250_000_000_000)))
        var parts = tm()
        localtime_r(&seconds, &parts)
        var text = [CChar](repeating: 0, count: 32)
        let count = strftime(&text, text.count, "%Y-%m-%d %H:%M", &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// A position in a medium or a length, as people write it: `90`, `90 s`, `1.5m`, `2h`, `1:30`,
/// `1:02:03.5`.
struct PlayTime: DescribedArgument, Hashable, Sendable {
    static let forms = "a number with s, m or h, or a time with colons, as in 90s, 2h or 1:30"

    /// Zero or more, in milliseconds.
    let duration: Duration

    /// A month, in seconds; no medium is longer.
    private static let longest: Double = 31 * 86_400

    init?(argument: String) {
        let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
        var seconds: Double = 0
        if argument.contains(":") {
            let parts = argument.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 3 else { return nil }
            for (index, part) in parts.enumerated() {
                let isLast = index == parts.count - 1
                guard let number = Self.number(part), isLast || !part.contains("."),
                    index == 0 || number < 60
                else { return nil }
                seconds = seconds * 60 + number
            }
        } else {
            let unit = argument.last.flatMap { units[$0] }
            guard let number = Self.number(unit == nil ? argument[...] : argument.dropLast()) else {
                return nil
            }
            seconds = number * (unit ?? 1)
        }
        guard seconds <= Self.longest else { return nil }
        self.duration = .milliseconds(Int64((seconds * 1000).rounded()))
    }

    /// Reads digits with an optional point, and blanks after them; no sign or exponent.
    fileprivate static func number(_ text: Substring) -> Double? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard digits.first?.isNumber == true, digits.count <= 20,
            text.dropFirst(digits.count).allSatisfy({ $0 == " " })
        else { return nil }
        return Double(digits)
    }
}

/// The value of `--volume`, 0 to 100.
struct Volume: DescribedArgument, Hashable, Sendable {
    static let forms = "a whole number from 0 to 100"

    /// From 0 to 1.
    let share: Double

    init?(argument: String) {
        guard let number = Int(argument), (0...100).contains(number) else { return nil }
        self.share = Double(number) / 100
    }
}
