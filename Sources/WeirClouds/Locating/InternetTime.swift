// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Int64 {
    /// Reads a time in the form of RFC 3339, `2024-07-10T16:02:35+00:00`, as seconds since 1970-01-01 00:00 UTC.
    ///
    /// - Returns: `nil` for anything else.
    init?(internetTime text: String) {
        let pattern =
            /(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?([Zz]|([+-])(\d{2}):?(\d{2}))/
        guard text.utf8.count <= 64, let match = text.wholeMatch(of: pattern),
            let year = Int64(match.1), let month = Int64(match.2), let day = Int64(match.3),
            let hour = Int64(match.4), let minute = Int64(match.5), let second = Int64(match.6),
            (1...12).contains(month), (1...Self.length(ofMonth: month, in: year)).contains(day),
            hour < 24, minute < 60, second <= 60
        else { return nil }
        var offset: Int64 = 0
        if let sign = match.8, let hours = match.9.flatMap({ Int64($0) }),
            let minutes = match.10.flatMap({ Int64($0) })
        {
            guard hours < 24, minutes < 60 else { return nil }
            offset = (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
        }
        self = Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second - offset
    }

    private static func length(ofMonth month: Int64, in year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days since 1970-01-01 in the Gregorian calendar; years of the calculation start in March.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        // Adds 400 years (146 097 days), so that no number is negative and divisions round down.
        let year = (month <= 2 ? year - 1 : year) + 400
        let century = year / 100
        let leaps = year / 4 - century + century / 4
        let months = (153 * ((month + 9) % 12) + 2) / 5
        return year * 365 + leaps + months + day - 1 - 719_468 - 146_097
    }
}

/// The time of day, for absolute times of services.
package enum WallClock {
    /// Seconds since 1970-01-01 00:00 UTC.
    package static func seconds() -> Int64 {
        Int64(Date().timeIntervalSince1970)
    }
}
