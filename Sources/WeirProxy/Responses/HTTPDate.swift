// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension HeadWriter {
    /// Writes a time as HTTP does (RFC 9110 §5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
    ///
    /// - Parameter seconds: since 1970, without leap seconds; a time before that is written as 1970, one after 9999 as the
    ///   last day of it.
    mutating func write(date seconds: Int64) {
        let time = min(max(seconds, 0), 253_402_300_799)
        let (days, rest) = (time / 86_400, time % 86_400)
        // 1 January 1970 was a Thursday.
        self.write(Self.dayNames[Int((days + 4) % 7)])
        // Years begin on 1 March here, so that the leap day is the last of one; eras of 400 years are all alike.
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
        if number < 10 { self.write("0") }
        self.write(decimal: number)
    }

    private static let dayNames: [StaticString] = [
        "Sun, ", "Mon, ", "Tue, ", "Wed, ", "Thu, ", "Fri, ", "Sat, ",
    ]
    /// From March on, as the years here begin.
    private static let monthNames: [StaticString] = [
        " Mar ", " Apr ", " May ", " Jun ", " Jul ", " Aug ", " Sep ", " Oct ", " Nov ", " Dec ",
        " Jan ", " Feb ",
    ]
}
