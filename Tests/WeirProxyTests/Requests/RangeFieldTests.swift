// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

@Suite("Range fields")
struct RangeFieldTests {
    @Test(
        "a single range is read",
        arguments: [
            ("bytes=0-0", .span(0..<1)),
            ("bytes=0-1", .span(0..<2)),
            ("bytes=5-", .from(5)),
            ("bytes=007-010", .span(7..<11)),
            ("bytes=-5", .suffix(5)),
            ("BYTES=1-2", .span(1..<3)),
            ("Bytes=1-2", .span(1..<3)),
            ("bytes= 1-2", .span(1..<3)),
            ("bytes=1-2 ", .span(1..<3)),
            ("bytes=1-2,", .span(1..<3)),
            ("bytes=, ,1-2 , ,", .span(1..<3)),
            ("bytes=3-9223372036854775806", .span(3..<Int64.max)),
            ("bytes=3-9223372036854775807", .from(3)),
            ("bytes=3-99999999999999999999999999", .from(3)),
            ("bytes=9223372036854775807-", .from(.max)),
            ("bytes=99999999999999999999999999-", .from(.max)),
            ("bytes=9223372036854775808-9223372036854775809", .from(.max)),
            ("bytes=-99999999999999999999999999", .suffix(.max)),
        ] as [(String, RequestedRange)]
    )
    func oneRange(value: String, range: RequestedRange) {
        #expect(RangeField(value) == .one(range))
    }

    @Test(
        "a malformed range, another unit and several ranges are ignored",
        arguments: [
            "", " ", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=--5", "bytes=5", "bytes=a-b",
            "bytes=1-2-3", "bytes=2-1", "bytes=99999999999999999999999999-1", "bytes=1-2,3-4",
            "bytes=0-0,-1", "bytes=1-2;3-4", "bytes=1 - 2", "bytes=1- 2", "bytes 1-2", "bytes:1-2",
            "byte=1-2", "bytes=+1-2", "bytes=1-+2", "bytes=-+5", "bytes=0x1-0x2", "bytes=1.0-2",
            "bytes=\u{0661}-", "items=1-2", "seconds=1-2", "bytes=1-2\u{0}", "=1-2", "bytes==1-2",
            "bytes=1-2 3", "bytes=*", "bytes=*/5", "none",
        ]
    )
    func ignored(value: String) {
        #expect(RangeField(value) == .ignored)
    }

    @Test(
        "a suffix of no bytes is an empty range",
        arguments: ["bytes=-0", "bytes=-000", "bytes=,-0"]
    )
    func unsatisfiable(value: String) {
        #expect(RangeField(value) == .unsatisfiable)
    }

    @Test("any text is read without a trap, and a range has its bounds in order")
    func anyText() {
        var random = SeededGenerator(seed: 0x5EED)
        let pieces = [
            "bytes", "=", "-", ",", " ", "\t", "0", "1", "9", "99999999999999999999", "a", "-5",
            "5-",
            "1-2", "\u{E9}", "W/", "\"", "BYTES=",
        ]
        for _ in 0..<20_000 {
            let value = (0..<Int.random(in: 0...8, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard case .one(let range) = RangeField(value) else { continue }
            #expect(!range.isEmpty, "\(value), seed \(random.seed)")
            #expect((range.knownLowerBound ?? 0) >= 0, "\(value), seed \(random.seed)")
        }
    }

    @Test(
        "the form that players send is read like the general form, or not at all",
        arguments: [
            ("bytes=0-0", true), ("bytes=65536-131071", true), ("bytes=007-010", true),
            ("bytes=5-", true),
            ("bytes=999999999999999999-", true), ("bytes=1000000000000000000-", false),
            ("bytes=2-1", false),
            ("bytes=", false), ("bytes=-", false), ("bytes=-5", false), ("bytes=1-2,", false),
            ("Bytes=1-2", false),
            ("bytes= 1-2", false), ("bytes=1-2-", false), ("bytes=1", false), ("byte", false),
            ("", false),
        ]
    )
    func plain(value: String, isPlain: Bool) {
        let field = Array(value.utf8).withUnsafeBytes { RangeField(plain: $0) }
        #expect(field == (isPlain ? RangeField(value) : nil))
    }
}
