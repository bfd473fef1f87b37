// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A number of bytes as a person writes it: `2GiB`, `500kB`, `65536`.
struct ByteSize: Hashable, Sendable, ExpressibleByArgument {
    /// The number, 0 or more.
    let bytes: Int64

    init(bytes: Int64) {
        self.bytes = bytes
    }

    /// Reads a number with an optional unit: B, kB, MB, GB, TB (powers of 1000), KiB, MiB, GiB, TiB
    /// (powers of 1024), or a single letter k, M, G, T (as KiB and so on).
    ///
    /// Case does not matter.
    init?(argument: String) {
        let text = argument.lowercased()
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), number.isFinite, number >= 0 else { return nil }
        let unit = text.dropFirst(digits.count)
        guard let factor = ByteSize.factors[String(unit)] else { return nil }
        let bytes = number * factor
        // What is more is meant by nobody, and could not be added to anything.
        guard bytes <= 0x1p62 else { return nil }
        self.bytes = Int64(bytes)
    }

    private static let factors: [String: Double] = [
        "": 1, "b": 1,
        "k": 1024, "kib": 1024, "kb": 1000,
        "m": 1_048_576, "mib": 1_048_576, "mb": 1_000_000,
        "g": 1_073_741_824, "gib": 1_073_741_824, "gb": 1_000_000_000,
        "t": 1_099_511_627_776, "tib": 1_099_511_627_776, "tb": 1_000_000_000_000,
    ]

    var defaultValueDescription: String { ByteSize.format(self.bytes) }

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
