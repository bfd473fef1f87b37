// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("The body of a station")
struct RadioFeedTests {
    private static let length: Int64 = 10_007
    private static let titles = [
        RadioTitle(at: 0, "Eins"), RadioTitle(at: 5_000, "Zwö"), RadioTitle(at: 70_000, "It's; 3"),
    ]

    private func feed(
        _ behaviour: RadioBehaviour,
        from start: Int64 = 0,
        hasTitles: Bool = true
    ) -> RadioFeed {
        let files = [
            RadioFile(.pattern(length: Self.length, seed: 1)),
            RadioFile(.pattern(length: 500, seed: 2)),
        ]
        let programme = RadioProgramme(files, titles: Self.titles)
        return RadioFeed(programme, behaviour, from: start, hasTitles: hasTitles)
    }

    /// The looped first file.
    private func sound(_ range: Range<Int64>) -> [UInt8] {
        range.map {
            PatternBytes.bytes(in: ($0 % Self.length)..<($0 % Self.length + 1), seed: 1)[0]
        }
    }

    /// Separates a body into audio and titles by the rules of ICY.
    private func parted(_ feed: RadioFeed, _ limits: [Int], metaint: Int, count: Int)
        -> (audio: [UInt8], titles: [(Int, String)])
    {
        var (feed, bytes, round) = (feed, [UInt8](), 0)
        while bytes.count < count {
            bytes += feed.next(upTo: limits[round % limits.count]).bytes
            round += 1
        }
        var (audio, titles, rest) = ([UInt8](), [(Int, String)](), bytes[...])
        while rest.count > metaint {
            audio += rest.prefix(metaint)
            rest = rest.dropFirst(metaint)
            let length = Int(rest.removeFirst()) * 16
            guard rest.count >= length else { break }
            if length > 0 {
                let text = rest.prefix(length).prefix { $0 != 0 }
                titles.append((audio.count, String(decoding: text, as: UTF8.self)))
            }
            rest = rest.dropFirst(length)
        }
        return (audio, titles)
    }

    @Test(
        "has titles at their places, whatever the sizes of its pieces",
        arguments: [1, 255, 8192, 65_536],
        [[1], [7, 1, 300], [16_384]]
    )
    func titles(_ metaint: Int, _ limits: [Int]) {
        let count = metaint == 1 ? 30_000 : 250_000
        let (audio, titles) = self.parted(
            self.feed(RadioBehaviour(.metaint(metaint))),
            limits,
            metaint: metaint,
            count: count
        )
        let isSame = audio == self.sound(0..<Int64(audio.count))
        #expect(isSame)
        #expect(audio.count >= count / 3)
        let due = Self.titles.filter { $0.offset + Int64(metaint) <= Int64(audio.count) }
        // A title that is replaced before the next block is never sent.
        let offsets = due.map { max(Int($0.offset) + metaint - 1, metaint) / metaint * metaint }
        let told = due.indices.filter { $0 + 1 == due.count || offsets[$0 + 1] != offsets[$0] }
        #expect(titles.map(\.0) == told.map { offsets[$0] })
        #expect(titles.map(\.1) == told.map { "StreamTitle='\(due[$0].text)';StreamUrl='';" })
        #expect(!titles.isEmpty)
    }

    @Test("continues at the given place, and gives the current title there")
    func start() {
        let feed = self.feed(RadioBehaviour(.metaint(100)), from: 5_500)
        let (audio, titles) = self.parted(feed, [64], metaint: 100, count: 1_000)
        let isSame = audio == self.sound(5_500..<(5_500 + Int64(audio.count)))
        #expect(isSame)
        #expect(titles.map(\.0) == [100])
        #expect(titles.first?.1 == "StreamTitle='Zwö';StreamUrl='';")
    }

    @Test("begins with garbage, and changes to the other file")
    func changes() {
        var feed = self.feed(
            RadioBehaviour(.garbage(300), .change(after: 12_000)),
            hasTitles: false
        )
        var bytes: [UInt8] = []
        while bytes.count < 13_500 { bytes += feed.next(upTo: 999).bytes }
        let isGarbage = Array(bytes[..<300]) == PatternBytes.bytes(in: 0..<300, seed: 0x6A72)
        let isFirst = Array(bytes[300..<12_300]) == self.sound(0..<12_000)
        let second = PatternBytes.bytes(in: 0..<500, seed: 2)
        let isSecond = Array(bytes[12_300..<13_300]) == second + second
        #expect(isGarbage && isFirst && isSecond)
        let isAgain = (0..<13_500).allSatisfy { feed.audio(at: Int64($0), upTo: 1) == [bytes[$0]] }
        #expect(isAgain)
    }

    @Test("writes titles in ISO 8859-1 on demand, and cuts a title that is too long")
    func coding() {
        let block = RadioTitle(at: 0, "Zwö €").block(isLatin1: true)
        #expect(block.count == 1 + Int(block[0]) * 16)
        #expect(
            Array(block[1...].prefix(19)) == Array("StreamTitle='Zw".utf8) + [0xF6]
                + Array(" ?'".utf8)
        )
        let long = RadioTitle(at: 0, String(repeating: "a", count: 5_000)).block(isLatin1: false)
        #expect(long.count == 4_081 && long[0] == 255)
    }
}
