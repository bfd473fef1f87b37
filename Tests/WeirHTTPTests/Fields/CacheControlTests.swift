// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("A Cache-Control")
struct CacheControlTests {
    private static func directives(_ headers: [(String, String)]) -> CacheDirectives? {
        AnswerHead(status: 200, headers: HTTPHeaderList(received: headers)).cacheDirectives
    }

    @Test(
        "says whether to store, and how long to use the bytes",
        arguments: [
            ("no-store", true, nil), ("No-Store", true, nil), ("private", false, nil),
            ("public, s-maxage=9", false, nil), ("no-cache", false, 0), ("max-age=60", false, 60),
            ("max-age=\"60\"", false, 60), ("max-age = 60", false, 60),
            ("max-age=60, max-age=5", false, 5),
            ("max-age=0", false, 0), ("max-age=x", false, 0), ("max-age", false, 0),
            ("max-age=-1", false, 0), ("max-age=1.5", false, 0), ("must-revalidate", false, 0),
            ("must-revalidate, max-age=30", false, 30), ("no-cache, max-age=30", false, 0),
            ("max-age=99999999999999999999", false, 1 << 31),
            ("no-cache=\"Set-Cookie\", max-age=7", false, 7),
            ("private=\"no-store, X\"", false, nil),
            ("x=\"a\\\"b, no-store\", max-age=3", false, 3), ("private=\"X, no-store", true, nil),
            (",, , no-store ,,", true, nil), ("no-store=1", true, nil), ("no-storex", false, nil),
            // ownCloud and Nextcloud send this value with every file.
            ("no-store, no-cache, must-revalidate, post-check=0, pre-check=0", true, 0),
            ("", false, nil), ("=", false, nil), ("=,=\"", false, nil),
        ] as [(String, Bool, Int64?)]
    )
    func isRead(_ value: String, _ forbidsStoring: Bool, _ seconds: Int64?) {
        let directives = Self.directives([("Cache-Control", value)])
        #expect(directives?.forbidsStoring ?? false == forbidsStoring)
        #expect(directives?.freshness == seconds.map { .seconds($0) })
    }

    @Test("means the same in one field and split at any comma into several")
    func survivesSplits() {
        let items = ["private", "no-store", "max-age=600", "no-cache=\"Set-Cookie, X\"", "x=1"]
        let whole = CacheControl([items.joined(separator: ", ")])
        #expect(whole.forbidsStoring && whole.maximumAge == 600 && !whole.wantsRevalidation)
        for first in 0...items.count {
            for second in first...items.count {
                let parts = [items[..<first], items[first..<second], items[second...]]
                let fields = parts.map { $0.joined(separator: ",") }
                #expect(CacheControl(fields) == whole, "\(fields)")
            }
        }
    }

    @Test("cut off anywhere gives the directives before the cut")
    func survivesTruncation() {
        let value = "no-store , max-age=\"600\", no-cache=\"a\", must-revalidate"
        for length in 0...value.count {
            let control = CacheControl([String(value.prefix(length))])
            #expect(control.forbidsStoring == (length >= 8))
            if length >= 24 { #expect(control.maximumAge == 600) }
        }
    }

    @Test("with random bytes in it never traps", arguments: [1, 2, 3] as [UInt64])
    func survivesNoise(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("no-storemaxge=\", \\\t0159é\u{1}")
        for _ in 0..<5_000 {
            let count = Int.random(in: 0..<40, using: &generator)
            let text = (0..<count).map { _ in alphabet.randomElement(using: &generator) ?? " " }
            let age = CacheControl([String(text)]).maximumAge ?? 0
            #expect((0...(1 << 31)).contains(age), "seed \(seed)")
        }
    }

    @Test(
        "is completed by Age, and by Expires if it has no age",
        arguments: [
            ([("Cache-Control", "max-age=60"), ("Age", "20")], 40),
            ([("Cache-Control", "max-age=60"), ("Age", "90")], 0),
            ([("Cache-Control", "max-age=60"), ("Age", "x")], 60),
            ([("Cache-Control", "max-age=60"), ("Expires", "0")], 60),
            ([("Expires", "0")], 0),
            (
                [
                    ("Date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                    ("Expires", "Sun, 06 Nov 1994 08:50:37 GMT"),
                ], 60
            ),
            ([("Expires", "Sun, 06 Nov 1994 08:50:37 GMT")], 0), ([("Age", "5")], nil), ([], nil),
        ] as [([(String, String)], Int64?)]
    )
    func isHelped(_ headers: [(String, String)], _ seconds: Int64?) {
        #expect(Self.directives(headers)?.freshness == seconds.map { .seconds($0) })
    }
}
