// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A place in a medium, or a length of it, as people write it: `90`, `90s`, `1.5m`, `2h`, `1:30`, `1:02:03.5`.
struct PlayTime: ExpressibleByArgument, Hashable, Sendable {
    /// Zero or more, in milliseconds.
    let duration: Duration

    /// A month is longer than anything that is played.
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

    /// Digits, perhaps with a point among them; neither signs nor exponents.
    private static func number(_ text: Substring) -> Double? {
        let isNumber =
            text.first?.isNumber == true
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
            }
        return isNumber && text.count <= 20 ? Double(text) : nil
    }
}
