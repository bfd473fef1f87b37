// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("A Content-Range")
struct ContentRangeTests {
    @Test(
        "is read with a half-open range",
        arguments: [
            ("bytes 42-1233/1234", 42..<1234, 1234), ("bytes 0-0/1", 0..<1, 1),
            ("bytes 42-1233/*", 42..<1234, nil), ("bytes 0-1/-1", 0..<2, nil),
            ("bytes 0-1/9223372036854775807", 0..<2, nil),
            ("bytes 0-1/18446744073709551615", 0..<2, nil), ("bytes */1234", nil, 1234),
            ("bytes */0", nil, 0),
            ("  Bytes  0-1/2 ", 0..<2, 2), ("bytes=0-1/2", 0..<2, 2),
            ("bytes 0-4611686018427387903/4611686018427387904", 0..<1 << 62, 1 << 62),
        ] as [(String, Range<Int64>?, Int64?)]
    )
    func isRead(_ value: String, _ range: Range<Int64>?, _ total: Int64?) throws {
        let field = try #require(ContentRange(value))
        #expect(field.range == range)
        #expect(field.total == total)
    }

    @Test(
        "is refused if it is nonsense",
        arguments: [
            "", "bytes", "bytes ", "bytes 0-1", "bytes 0-1/", "bytes /2", "bytes -1/2",
            "bytes 0-/2",
            "bytes 1-0/2", "bytes 0-2/2", "bytes 2-3/2", "bytes */*", "bytes 0-1/-",
            "bytes +0-1/2",
            "bytes 0x0-1/2", "bytes 0-1/2/3", "items 0-1/2", "bytes0-1/2", "bytes 0 - 1/2",
            "bytes 0-9223372036854775807/*", "bytes */-1",
            "bytes 18446744073709551616-18446744073709551617/*", "bytes 0-1,4-5/9", "bytes ٠-١/٢",
        ]
    )
    func isRefused(_ value: String) {
        #expect(ContentRange(value) == nil)
    }

    @Test(
        "names its fault",
        arguments: [
            ("bytes 7-1/100", .inverted(first: 7, last: 1)),
            ("bytes 1-0/2", .inverted(first: 1, last: 0)),
            ("bytes 0-2/2", .pastTotal(first: 0, last: 2, total: 2)),
            ("items 0-1/2", .otherUnit), ("bytes0-1/2", .otherUnit), ("bytes a-1/2", .unreadable),
            ("", .unreadable), ("bytes 0--1/2", .endless),
            ("bytes 0-9223372036854775806/9223372036854775807", .endless),
            ("bytes 5-18446744073709551614/18446744073709551615", .endless),
        ] as [(String, ContentRange.FieldError)]
    )
    func saysWhy(_ value: String, _ defect: ContentRange.FieldError) {
        #expect(throws: defect) { try ContentRange(parsing: value) }
    }

    @Test("cut off anywhere is refused or gives less, and never traps")
    func survivesTruncation() {
        let value = "bytes 100-199/2000"
        for length in 0..<value.count {
            guard let field = ContentRange(String(value.prefix(length))) else { continue }
            // Only the total can lose digits; the shorter total must still be past the range.
            #expect(field.range == 100..<200)
            #expect((field.total ?? 0) >= 200)
        }
    }

    @Test("with random bytes in it never traps", arguments: [1, 2, 3] as [UInt64])
    func survivesNoise(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("bytes 0123456789-/*=\u{1}é")
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<30, using: &generator)
            let text = String(
                (0..<count).compactMap { _ in alphabet.randomElement(using: &generator) }
            )
            if let range = ContentRange("bytes " + text)?.range {
                #expect(!range.isEmpty && range.lowerBound >= 0, "seed \(seed)")
            }
        }
    }

    @Test(
        "is requested with inclusive ends",
        arguments: [
            (.whole, "bytes=0-"), (.from(7), "bytes=7-"), (.span(0..<2), "bytes=0-1"),
            (.span(5..<Int64.max), "bytes=5-9223372036854775806"), (.suffix(9), "bytes=-9"),
            (.span(5..<5), nil), (.suffix(0), nil), (.from(-1), nil), (.span(-2..<3), nil),
        ] as [(RequestedRange, String?)]
    )
    func isAskedFor(_ range: RequestedRange, _ field: String?) {
        #expect(range.headerField == field)
    }
}
