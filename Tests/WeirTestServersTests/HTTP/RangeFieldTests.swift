// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirTestServers

@Suite("Range")
struct RangeFieldTests {
    @Test(
        "a range has the bytes that RFC 9110 says",
        arguments: [
            ("bytes=0-0", 0..<1), ("bytes=0-1", 0..<2), ("bytes=5-", 5..<10), ("bytes=-3", 7..<10),
            ("bytes=-30", 0..<10), ("bytes=8-100", 8..<10),
        ] as [(String, Range<Int64>)]
    )
    func meaning(_ field: String, _ range: Range<Int64>) throws {
        #expect(try RangeField(field).range(in: 10) == range)
    }

    @Test("a range without bytes is a 416", arguments: ["bytes=10-", "bytes=-0", "bytes=11-12"])
    func unsatisfiable(_ field: String) throws {
        #expect(try RangeField(field).range(in: 10) == nil)
        #expect(try RangeField(field).range(in: 0) == nil)
    }

    @Test(
        "text that is not a single range is refused",
        arguments: [
            "bytes=0-1,3-4", "bytes=", "bytes=-", "bytes=3-2", "items=0-1", "bytes=a-b",
            "bytes=1-2-3",
            "bytes= 1-2", "bytes=٣-٤",
        ]
    )
    func refused(_ field: String) {
        #expect(throws: ServerError.self) { try RangeField(field) }
    }

    @Test("numbers that are too large do not trap")
    func huge() throws {
        #expect(try RangeField("bytes=0-99999999999999999999").range(in: 10) == 0..<10)
        #expect(try RangeField("bytes=9223372036854775807-").range(in: 10) == nil)
        #expect(try RangeField("bytes=0-9223372036854775807").range(in: 10) == 0..<10)
    }
}
