// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing
import WeirCache
import WeirSource

@testable import WeirCommand

@Suite("What weir cache list prints")
struct CacheListTests {
    private static func resource(
        _ name: String,
        held: Int64,
        of length: Int64?,
        used: TimeInterval = 0,
        account: String = "",
        isPinned: Bool = false
    ) -> CachedResource {
        CachedResource(
            identifier: String(repeating: "3f", count: 16),
            generation: GenerationID(rawValue: 1),
            display: "https://a.example/\(name)",
            account: account,
            length: length,
            heldBytes: held,
            mediaType: nil,
            name: nil,
            lastUse: Date(timeIntervalSince1970: used),
            created: Date(timeIntervalSince1970: used),
            isPinned: isPinned
        )
    }

    private static let resources = [
        resource("b%20%C3%BC.mp3", held: 1_400_000, of: 1_400_000, used: 300),
        resource("10.mp3", held: 500, of: 1_000_000, used: 200, account: "me", isPinned: true),
        resource("9.mp3", held: 7, of: nil, used: 100),
    ]

    @Test("columns that begin at the same places, and names as people read them")
    func columns() {
        let lines = CacheListCommand.lines(Self.resources)
        let places = lines.map { line in
            line.range(of: "https://").map {
                line.distance(from: line.startIndex, to: $0.lowerBound)
            }
        }
        #expect(Set(places).count == 1)
        #expect(lines[0].hasPrefix("3f3f3f3f3f3f  1.4 MB  whole "))
        #expect(lines[0].hasSuffix("  https://a.example/b ü.mp3"))
        #expect(lines[1].contains("  0 % of 1.0 MB  "))
        #expect(lines[1].contains("  pinned  me  "))
        #expect(lines[2].contains("  of unknown length  "))
    }

    @Test("a column without anything in it is left out, and no sign moves a cursor")
    func few() {
        let lines = CacheListCommand.lines([Self.resource("a%1B%5B2J", held: 0, of: 0)])
        #expect(!lines[0].contains("pinned"))
        #expect(lines[0].hasSuffix("  https://a.example/a?[2J"))
        #expect(CacheListCommand.lines([]).isEmpty)
    }

    @Test(
        "a filter, an account and an order",
        arguments: [
            ([], ["b%20%C3%BC.mp3", "10.mp3", "9.mp3"]),
            (["ü"], ["b%20%C3%BC.mp3"]), (["9"], ["9.mp3"]),
            (["MP3", "--account", "me"], ["10.mp3"]),
            (["--sort", "name"], ["9.mp3", "10.mp3", "b%20%C3%BC.mp3"]),
            (["--sort", "size"], ["b%20%C3%BC.mp3", "10.mp3", "9.mp3"]),
        ]
    )
    func chosen(_ words: [String], _ names: [String]) throws {
        let command = try CacheListCommand.parse(words)
        #expect(
            command.chosen(Self.resources).map { $0.display }
                == names.map { "https://a.example/\($0)" }
        )
    }

    @Test("what was printed names the resource")
    func named() throws {
        for text in ["https://a.example/b ü.mp3", "https://a.example/b%20%C3%BC.mp3?token=x"] {
            let found = try CacheSelection.parse([]).named([text], among: Self.resources)
            #expect(found.map(\.display) == ["https://a.example/b%20%C3%BC.mp3"])
        }
    }
}
