// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A time as people write it: `90s`, `5m`, `12h`, `30d`.
struct TimeSpan: ExpressibleByArgument, Hashable, Sendable {
    let seconds: Int64

    var duration: Duration { .seconds(self.seconds) }

    init?(argument: String) {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        guard let letter = argument.last, let unit = units[letter],
            let count = Int64(argument.dropLast()), count >= 0
        else { return nil }
        // A century is as long as anybody means.
        let (seconds, isTooLong) = count.multipliedReportingOverflow(by: unit)
        guard !isTooLong, seconds <= 100 * 366 * 86_400 else { return nil }
        self.seconds = seconds
    }
}
