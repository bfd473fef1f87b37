// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A moment in the formats of headers and documents, always in UTC.
struct CivilTime: Sendable {
    private let year: Int
    private let month: Int
    private let day: Int
    private let weekday: Int
    private let secondOfDay: Int

    /// Creates a moment from Unix seconds without their fraction; a time outside of 1970 to 9999
    /// becomes the nearest time within.
    init(_ unixSeconds: Double) {
        let seconds = Int(min(max(unixSeconds, 0), 253_402_300_799))
        let days = seconds / 86_400
        // The calendar repeats after 400 years of 146 097 days; a year that begins in March has its
        // leap day at the end.
        let shifted = days + 719_468
        let (era, dayOfEra) = (shifted / 146_097, shifted % 146_097)
        let leaps = dayOfEra / 1460 - dayOfEra / 36_524 + dayOfEra / 146_096
        let yearOfEra = (dayOfEra - leaps) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        self.day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        self.month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.year = yearOfEra + era * 400 + (self.month <= 2 ? 1 : 0)
        self.weekday = (days + 4) % 7
        self.secondOfDay = seconds % 86_400
    }

    /// RFC 9110 §5.6.7, as `Wed, 10 Jul 2024 16:02:35 GMT`.
    var headerText: String {
        let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
        return "\(weekdays[self.weekday]), \(Self.digits(self.day)) \(months[self.month - 1]) "
            + "\(self.yearText) \(self.clockText) GMT"
    }

    /// RFC 3339, as `2024-07-10T16:02:35+00:00`.
    var documentText: String { "\(self.dateText)T\(self.clockText)+00:00" }

    /// RFC 3339, as `2024-07-10T16:02:35Z`.
    var zuluText: String { "\(self.dateText)T\(self.clockText)Z" }

    private var dateText: String {
        "\(self.yearText)-\(Self.digits(self.month))-\(Self.digits(self.day))"
    }

    private var yearText: String { Self.digits(self.year / 100) + Self.digits(self.year % 100) }

    private var clockText: String {
        [self.secondOfDay / 3600, self.secondOfDay / 60 % 60, self.secondOfDay % 60]
            .map(Self.digits).joined(separator: ":")
    }

    private static func digits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : String(number)
    }
}

/// The time of this machine.
public enum WallClock {
    /// Seconds since 1 January 1970, UTC.
    public static var unixSeconds: Double { Date().timeIntervalSince1970 }
}
