// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirClouds

@Suite("A time in JSON")
struct InternetTimeTests {
    @Test(
        "is read as seconds since 1970",
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2024-07-10T16:02:35+00:00", 1_720_627_355),
            ("2024-07-10t19:02:35.123456+03:00", 1_720_627_355),
            ("2024-07-10 12:32:35-0330", 1_720_627_355), ("1969-12-31T23:59:59z", -1),
            ("2000-02-29T00:00:00Z", 951_782_400), ("2024-02-29T00:00:00Z", 1_709_164_800),
            ("2024-03-01T00:00:00Z", 1_709_251_200), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("0000-01-01T00:00:00Z", -62_167_219_200), ("0001-01-01T00:00:00Z", -62_135_596_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("1900-03-01T00:00:00Z", -2_203_891_200),
        ] as [(String, Int64)]
    )
    func isRead(_ text: String, _ expected: Int64) {
        #expect(Int64(internetTime: text) == expected)
    }

    @Test(
        "grows by a day with each date around a century's end",
        arguments: [1600, 1900, 2000, 2100]
    )
    func runsOn(_ century: Int) {
        func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var last = Int64(internetTime: "\(century - 2)-12-31T00:00:00Z") ?? 0
        var count = 0
        for year in (century - 1)...(century + 1) {
            for month in 1...12 {
                for day in 1...31 {
                    let text = "\(year)-\(padded(month))-\(padded(day))T00:00:00Z"
                    guard let seconds = Int64(internetTime: text) else { continue }
                    guard seconds == last + 86_400 else {
                        Issue.record("\(text)")
                        return
                    }
                    last = seconds
                    count += 1
                }
            }
        }
        #expect(count == (century % 400 == 0 ? 1_096 : 1_095))
    }

    @Test(
        "is absent where it makes no sense",
        arguments: [
            "", "2024", "2024-07-10", "2024-07-10T16:02:35", "2024-13-01T00:00:00Z",
            "2024-00-01T00:00:00Z", "2024-01-00T00:00:00Z", "2023-02-29T00:00:00Z",
            "1900-02-29T00:00:00Z", "2024-04-31T00:00:00Z", "2024-01-01T24:00:00Z",
            "2024-01-01T00:60:00Z", "2024-01-01T00:00:61Z", "2024-01-01T00:00:00+24:00",
            "2024-01-01T00:00:00+01:60", "x2024-01-01T00:00:00Z", "2024-01-01T00:00:00Zx",
            "٢٠٢٤-٠١-٠١T٠٠:٠٠:٠٠Z", "2024-01-01T00:00:00.Z",
            "2024-01-01T00:00:00.\(String(repeating: "1", count: 100))Z",
        ]
    )
    func isNone(_ text: String) {
        #expect(Int64(internetTime: text) == nil)
    }
}
