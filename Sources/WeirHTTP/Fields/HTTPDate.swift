// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Int64 {
    private static let months = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]

    /// Reads a date of a header field (RFC 9110 §5.6.7) as seconds since 1970-01-01 00:00 UTC.
    ///
    /// ```
    /// Sun, 06 Nov 1994 08:49:37 GMT      IMF-fixdate, the form in use
    /// Sunday, 06-Nov-94 08:49:37 GMT     RFC 850
    /// Sun Nov  6 08:49:37 1994           asctime
    /// ```
    ///
    /// `nil` for anything else. The day of the week is ignored. A year of two digits is read as
    /// 1970 to 2069.
    package init?(httpDate text: String) {
        guard text.utf8.count <= 64 else { return nil }
        var words = text.lowercased().split { $0 == " " || $0 == "-" || $0 == "," }
        guard words.count >= 5 else { return nil }
        words.removeFirst()
        let day: Substring
        let month: Substring
        let time: Substring
        let year: Substring
        if Self.months.contains(String(words[0])) {
            guard words.count == 4 else { return nil }
            (month, day, time, year) = (words[0], words[1], words[2], words[3])
        } else {
            guard words.count == 5, words[4] == "gmt" || words[4] == "utc" else { return nil }
            (day, month, year, time) = (words[0], words[1], words[2], words[3])
        }
        guard let monthIndex = Self.months.firstIndex(of: String(month)),
            let dayNumber = Self.number(day, digits: 1...2, in: 1...31),
            var yearNumber = Self.number(year, digits: 2...4, in: 0...9999),
            let seconds = Self.timeOfDay(time)
        else { return nil }
        if year.utf8.count == 2 { yearNumber += yearNumber < 70 ? 2000 : 1900 }
        let days = Self.days(year: yearNumber, month: Int64(monthIndex) + 1, day: dayNumber)
        self = days * 86_400 + seconds
    }

    private static func timeOfDay(_ text: Substring) -> Int64? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3,
            let hour = self.number(parts[0], digits: 2...2, in: 0...23),
            let minute = self.number(parts[1], digits: 2...2, in: 0...59),
            let second = self.number(parts[2], digits: 2...2, in: 0...60)
        else { return nil }
        return hour * 3600 + minute * 60 + second
    }

    private static func number(
        _ text: Substring,
        digits: ClosedRange<Int>,
        in limits: ClosedRange<Int64>
    ) -> Int64? {
        guard digits.contains(text.utf8.count), let number = Int64(decimalDigits: text.utf8),
            limits.contains(number)
        else { return nil }
        return number
    }

    /// Days since 1970-01-01 in the Gregorian calendar.
    ///
    /// The years of the calculation start in March, so that the leap day is the last day of its
    /// year.
    private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

extension Duration {
    /// The longest delay of a `Retry-After` field, longer than any wait.
    static let longestRetryAfter = Duration.seconds(Int64(1) << 40)

    /// Reads the `Retry-After` field of a response (RFC 9110 §10.2.3).
    ///
    /// The delay is from zero to ``longestRetryAfter``; `nil` for an unreadable value. A date is
    /// counted from the response's own `Date`, so that the origin's clock need not be right. For a
    /// date without that field the result is `nil`.
    ///
    /// - Parameters:
    ///   - value: seconds or a date.
    ///   - date: the response's `Date` field.
    init?(retryAfter value: String, date: String?) {
        let text = value.utf8.filter { !$0.isBlank }
        if !text.isEmpty, text.allSatisfy(\.isASCIIDigit) {
            let seconds = Int64(decimalDigits: text).map { Duration.seconds($0) }
            self = min(seconds ?? Self.longestRetryAfter, Self.longestRetryAfter)
            return
        }
        guard let until = Int64(httpDate: value), let now = date.flatMap(Int64.init(httpDate:))
        else { return nil }
        self = .seconds(max(0, until - now))
    }
}

extension HTTPHeaderList {
    /// The delay of the `Retry-After` field, counted from `Date`; `nil` if it cannot be read.
    var retryAfter: Duration? {
        self["Retry-After"].flatMap { Duration(retryAfter: $0, date: self["Date"]) }
    }
}
