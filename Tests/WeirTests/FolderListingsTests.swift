// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The kept folder listings")
struct FolderListingsTests {
    private let folder = TemporaryDirectory()

    private var listings: FolderListings { FolderListings(cache: self.folder.path) }

    private func listing(_ names: [String], at seconds: Int64 = 7) -> FolderListings.Listing {
        FolderListings.Listing(
            entries: names.map { FolderEntry(name: $0, kind: .file) },
            seconds: seconds
        )
    }

    private var files: [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: "\(self.folder.path)/listings")) ?? []
    }

    @Test("are read back unchanged, whatever the names are, and only their user may read them")
    func roundTrip() throws {
        let entries = [
            FolderEntry(name: "a #1 50% \\x0A?.mp3", kind: .file, length: 5, mediaType: .mpegAudio),
            FolderEntry(name: "Альбом", kind: .folder, modifiedSeconds: 1_700_000_000),
        ]
        let kept = FolderListings.Listing(entries: entries, seconds: 1_700_000_001)
        #expect(self.listings["a"] == nil)
        self.listings.keep(kept, as: "a")
        #expect(self.listings["a"] == kept)
        self.listings.keep(self.listing(["b"]), as: "a")
        #expect(self.listings["a"]?.entries.map(\.name) == ["b"] && self.files == ["a"])
        for (path, mode) in [("listings", 0o700), ("listings/a", 0o600)] as [(String, mode_t)] {
            var status = stat()
            #expect(stat("\(self.folder.path)/\(path)", &status) == 0)
            #expect(status.st_mode & 0o777 == mode, "\(path)")
        }
        self.listings.removeAll()
        #expect(self.listings["a"] == nil && self.files.isEmpty)
    }

    @Test("of one account are removed with the listings of no known account, and no others are")
    func accounts() throws {
        for (name, account) in [("a", "anna"), ("b", "bert"), ("c", "")] {
            var listing = self.listing([name])
            listing.account = account
            self.listings.keep(listing, as: name)
            #expect(self.listings[name] == listing)
        }
        let earlier = #"{"version":1,"seconds":7,"entries":[]}"#
        try Data(earlier.utf8).write(
            to: URL(fileURLWithPath: "\(self.folder.path)/listings/earlier")
        )
        #expect(self.listings["earlier"] == self.listing([]))
        self.listings.removeAll(of: "anna")
        #expect(self.files.sorted() == ["b", "c"])
        self.listings.removeAll(of: "")
        #expect(self.files == ["b"])
    }

    @Test("are bounded, in entries and in number, and the oldest are removed")
    func bounds() throws {
        let many = (0...FolderListings.mostEntries).map { "\($0)" }
        self.listings.keep(self.listing(["x"]), as: "long")
        self.listings.keep(self.listing(many), as: "long")
        #expect(self.listings["long"] == nil)
        for number in 0..<300 {
            self.listings.keep(self.listing(["x"]), as: "\(number)")
            let time = timespec(tv_sec: number, tv_nsec: 0)
            let file = "\(self.folder.path)/listings/\(number)"
            #expect(utimensat(AT_FDCWD, file, [time, time], 0) == 0)
        }
        #expect(self.files.count <= 257)
        #expect(self.listings["0"] == nil && self.listings["298"] != nil)
    }

    @Test("do not exist where they cannot be read or written")
    func damage() throws {
        self.listings.keep(self.listing(["x"]), as: "a")
        let file = URL(fileURLWithPath: "\(self.folder.path)/listings/a")
        let bytes = try Data(contentsOf: file)
        for count in 0..<bytes.count {
            try bytes.prefix(count).write(to: file)
            #expect(self.listings["a"] == nil, "\(count)")
        }
        let climbing =
            #"{"version":1,"seconds":1,"entries":[{"n":"..","f":true},{"n":"a/b","f":false},{"n":"c","f":false}]}"#
        try Data(climbing.utf8).write(to: file)
        #expect(self.listings["a"]?.entries.map(\.name) == ["c"])
        try Data(climbing.replacing("\"version\":1", with: "\"version\":2").utf8).write(to: file)
        #expect(self.listings["a"] == nil)
        FolderListings(cache: "/proc/none").keep(self.listing(["x"]), as: "a")
        #expect(FolderListings(cache: "/proc/none")["a"] == nil)
    }
}
