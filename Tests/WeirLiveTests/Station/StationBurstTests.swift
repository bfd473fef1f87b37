// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirAudio
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("A server that repeats the sound of its last seconds, and closes")
struct StationBurstTests {
    enum Format: String, CaseIterable {
        case mp3, ragged, aac, opus, chainedOpus, vorbis, chainedVorbis

        func broadcast() throws -> Broadcast {
            switch self {
            case .mp3: return .mp3
            case .ragged:
                var broadcast = Broadcast.mp3
                broadcast.isRagged = true
                return broadcast
            case .aac: return .aac
            case .opus: return .opus()
            case .chainedOpus: return .opus(linkOf: 37)
            case .vorbis: return try .vorbis()
            case .chainedVorbis: return try .vorbis(linkOf: 41)
            }
        }
    }

    /// The length of the listening, in seconds.
    ///
    /// Twenty minutes for two formats with connections of 8 s, and 100 s for all others; an hour
    /// for each in the long form.
    private static func length(_ format: Format, _ seconds: Int) -> Int {
        let isHour = seconds == 8 && (format == .mp3 || format == .chainedOpus)
        return isHour ? TestLength.short(1200, long: 3600) : TestLength.short(100, long: 3600)
    }

    @Test(
        "is heard and recorded without a lost or repeated byte, and no later than it broadcasts",
        arguments: Format.allCases,
        [3, 8]
    )
    func stretch(format: Format, seconds: Int) async throws {
        let broadcast = try format.broadcast()
        let folder = TemporaryDirectory()
        let path = folder.path
        try await Studio.scene(script: { _, _ in .broadcasts(broadcast, for: .seconds(seconds)) })
            .run { studio in
                let hearing = studio.hear()
                let recording = try studio.station.record(into: URL(filePath: path))
                let length = Self.length(format, seconds)
                try await studio.pass(.seconds(length))
                #expect(studio.transport.calls.count > length / (seconds + 2))
                #expect(hearing.causes == ["joined"])
                let first =
                    broadcast.number(at: .zero - broadcast.burst) + (broadcast.isRagged ? 1 : 0)
                let heard = hearing.stretches.flatMap(\.bytes)
                let last = try #require(broadcast.last(of: heard, from: first))
                let behind = broadcast.number(at: .seconds(length)) - last
                #expect(broadcast.unitTime * behind < .seconds(3), "\(behind)")
                let live = studio.station.core.liveTime
                // The live time equals the duration of the same bytes on one connection.
                #expect(live == StreamFeedTests.run([heard], type: broadcast.mediaType).sound)
                // A listener that goes back reads the bytes that are on disk by now.
                let back = studio.hear(from: .behind(.seconds(length / 2)))
                try await studio.pass(.milliseconds(500))
                let past = back.stretches.flatMap(\.bytes)
                #expect(back.causes == ["joined"])
                #expect(past.count > heard.count / 3)
                if back.stretches.first?.stretch.head.isEmpty == true {
                    let again = hearing.stretches.flatMap(\.bytes)
                    #expect(again.suffix(past.count).elementsEqual(past))
                }
                await recording.stop()
                let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted {
                    (Int($0.prefix { $0 != " " }) ?? 0) < (Int($1.prefix { $0 != " " }) ?? 0)
                }
                let files = names.map {
                    [UInt8](FileManager.default.contents(atPath: folder.path(of: $0)) ?? Data())
                }
                if case .mp3 = format { #expect(files.count == 1) }
                let end = try #require(broadcast.last(of: Array(files.joined()), from: first))
                #expect(end >= last - 1)
            }
    }

    @Test(
        "gives the beginning of the new sound to a listener that joins during a loss or a repetition",
        arguments: [Format.mp3, .chainedOpus]
    )
    func late(format: Format) async throws {
        let broadcast = try format.broadcast()
        try await Studio.scene(script: { _, _ in .broadcasts(broadcast, for: .seconds(8)) }).run {
            studio in
            let hearing = studio.hear()
            var late: [Hearing] = []
            for _ in 0..<40 {
                try await studio.pass(.milliseconds(777))
                late.append(studio.hear())
            }
            try await studio.pass(.seconds(5))
            let heard = hearing.stretches.flatMap(\.bytes)
            for each in late {
                #expect(each.causes == ["joined"])
                let bytes = each.stretches.flatMap(\.bytes)
                #expect(!bytes.isEmpty)
                #expect(heard.suffix(bytes.count).elementsEqual(bytes))
                let stretch = try #require(each.stretches.first?.stretch)
                #expect(stretch.container == (format == .mp3 ? .mpegAudio : .ogg))
                #expect(format == .mp3 || bytes.starts(with: Array("OggS".utf8)))
            }
        }
    }
}
