// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCipher

@Suite("The place of plain bytes in a stored file")
struct StoredLayoutTests {
    /// Layouts with units of 3 plain bytes in 5 and a prefix of 2, so that every case is small.
    static let layouts: [StoredLayout] = [0, 4].flatMap { clear in
        [0, 5].map { lookBehind in
            StoredLayout(
                prefix: 2,
                clear: clear,
                plainUnit: 3,
                storedUnit: 5,
                lookBehind: lookBehind,
                storedLength: 2 + clear + 4 * 5 + 3,
                plainLength: clear + 4 * 3 + 1
            )
        }
    }

    /// The stored ranges that one plain byte needs, computed without `StoredLayout`.
    private static func needed(_ offset: Int64, _ layout: StoredLayout) -> [Range<Int64>] {
        guard offset >= layout.clear else {
            return [(layout.prefix + offset)..<(layout.prefix + offset + 1)]
        }
        var start = layout.prefix + layout.clear
        var plain = layout.clear
        while plain + layout.plainUnit <= offset {
            plain += layout.plainUnit
            start += layout.storedUnit
        }
        let end = min(start + layout.storedUnit, layout.storedLength ?? .max)
        return plain > layout.clear && layout.lookBehind > 0
            ? [(start - layout.lookBehind)..<start, start..<end] : [start..<end]
    }

    @Test(
        "the stored range of a plain range covers exactly the bytes that each plain byte needs",
        arguments: layouts
    )
    func stored(_ layout: StoredLayout) throws {
        let length = try #require(layout.plainLength)
        for lower in 0..<length {
            for upper in (lower + 1)...length {
                let stored = layout.stored(for: lower..<upper)
                let needed = (lower..<upper).flatMap { Self.needed($0, layout) }
                #expect(stored.lowerBound == needed.map(\.lowerBound).min())
                #expect(stored.upperBound == needed.map(\.upperBound).max())
            }
        }
    }

    @Test(
        "a stored run gives exactly the plain bytes whose needed bytes it has",
        arguments: layouts
    )
    func held(_ layout: StoredLayout) throws {
        let length = try #require(layout.plainLength)
        let end = try #require(layout.storedLength)
        for lower in 0...end {
            for upper in lower...end {
                let run = lower..<upper
                let had = (0..<length).filter { offset in
                    Self.needed(offset, layout).allSatisfy {
                        run.lowerBound <= $0.lowerBound && $0.upperBound <= run.upperBound
                    }
                }
                let plain = layout.plain(in: run)
                #expect(Array(plain) == had, "\(run)")
            }
        }
    }

    @Test("offsets far beyond any file do not overflow")
    func far() {
        for layout in Self.layouts {
            var endless = layout
            (endless.storedLength, endless.plainLength) = (nil, nil)
            let stored = endless.stored(for: 0..<Int64.max)
            #expect(stored == 2..<Int64.max)
        }
    }
}
