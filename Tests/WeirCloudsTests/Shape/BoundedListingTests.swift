// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("A listing is bounded")
struct BoundedListingTests {
    private static func page(_ names: String...) -> [FolderEntry] {
        names.map { FolderEntry(name: $0, kind: .file) }
    }

    @Test("in entries, and gives those within the bound")
    func entries() {
        var listing = BoundedListing(.init(entries: 3))
        #expect(listing.received(Self.page("a", "b"), at: .zero).cut == nil)
        let (entries, cut) = listing.received(Self.page("c", "d"), at: .zero)
        #expect(entries.map(\.name) == ["c"] && cut == .entries(3))
    }

    @Test("in pages")
    func pages() {
        var listing = BoundedListing(.init(pages: 2))
        #expect(listing.received(Self.page("a"), at: .zero).cut == nil)
        #expect(listing.received(Self.page("b"), at: .zero).cut == .pages(2))
    }

    @Test("in the pages and in the time without a new entry, and a repeated page has none")
    func nothingNew() {
        var listing = BoundedListing(.init(emptyPages: 3, silence: .seconds(60)))
        #expect(listing.received(Self.page("a"), at: .zero).entries.count == 1)
        #expect(listing.received(Self.page("a"), at: .seconds(59)) == ([], nil))
        #expect(listing.received([], at: .seconds(60)) == ([], .nothingNew(pages: 2)))
        var other = BoundedListing(.init(emptyPages: 3, silence: .seconds(60)))
        // A slow page with a new entry does not count as silence.
        #expect(other.received(Self.page("a"), at: .seconds(500)).cut == nil)
        #expect(other.received([], at: .seconds(501)).cut == nil)
        #expect(other.received(Self.page("b"), at: .seconds(600)).cut == nil)
        for index in 1...2 { #expect(other.received([], at: .seconds(600 + index)).cut == nil) }
        #expect(other.received([], at: .seconds(603)).cut == .nothingNew(pages: 3))
    }

    @Test("for any service, with an error where more entries were wanted")
    func says() async throws {
        let endless = FolderPages {
            let count = Watched(0)
            return {
                let number = count.update {
                    $0 += 1
                    return $0
                }
                return [FolderEntry(name: "\(number)", kind: .file)]
            }
        }
        let bounded = BoundedListing.bounded(
            endless,
            called: "disk:/x",
            at: "disk.test",
            .init(pages: 5),
            clock: ManualClock()
        )
        var names: [String] = []
        let error = await thrownError {
            for try await page in bounded { names += page.map(\.name) }
        }
        #expect(names == ["1", "2", "3", "4", "5"] && error?.code == .originFailed)
        #expect(error?.message.contains("cut after 5 pages") == true)
        let whole = BoundedListing.bounded(
            FolderPages {
                let pages = Watched([Self.page("a")])
                return { pages.update { $0.popLast() } }
            },
            called: "disk:/x",
            at: "disk.test",
            .init(pages: 1),
            clock: ManualClock()
        )
        let nothing = await thrownError { for try await _ in whole {} }
        #expect(nothing == nil)
    }
}
