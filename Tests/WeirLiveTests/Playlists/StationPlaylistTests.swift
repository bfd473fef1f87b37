// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirLive

@Suite("A station whose address names a playlist")
struct StationPlaylistTests {
    private static let pls = """
        [playlist]
        File1=http://one.example/live
        File2=two.mp3
        NumberOfEntries=2
        """

    private static func text(_ text: String, type: String?) -> ScriptedAnswer {
        .answers([.bytes(Array(text.utf8))], mediaType: type)
    }

    @Test(
        "plays the first entry that has sound, and asks for the playlist again when that entry ends"
    )
    func entries() async throws {
        try await Studio.scene(script: { number, target in
            switch target {
            case .station: Self.text(Self.pls, type: "audio/x-scpls")
            case .entry("two.mp3"): .answers([.radio(for: .seconds(12))])
            case .entry: .refuses(404)
            }
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(30))
            let pass: [StationTarget] = [
                .station, .entry("http://one.example/live"), .entry("two.mp3"),
            ]
            #expect(studio.transport.calls.map(\.target) == pass + pass + pass)
            #expect(hearing.numbers != nil)
            #expect(hearing.causes == ["joined", "reconnected(ended)", "reconnected(ended)"])
        }
    }

    @Test(
        "recognises the playlist by its content, whatever type the server names",
        arguments: [nil, "audio/mpeg", "text/plain", "audio/x-mpegurl", "application/octet-stream"]
    )
    func types(type: String?) async throws {
        try await Studio.scene(script: { _, target in
            target == .station
                ? Self.text("#EXTM3U\n#EXTINF:-1,Radio\nhttp://one.example/live\n", type: type)
                : .answers([.radio(for: nil)])
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(3))
            #expect(studio.transport.calls.count == 2)
            #expect(hearing.numbers?.isEmpty == false)
        }
    }

    @Test("may get its playlist in any portions", arguments: [1, 7, 100])
    func portions(size: Int) async throws {
        let bytes = Array(Self.pls.utf8)
        try await Studio.scene(script: { _, target in
            guard target == .station else { return .answers([.radio(for: nil)]) }
            let steps = stride(from: 0, to: bytes.count, by: size).map {
                ScriptedAnswer.Step.bytes(Array(bytes[$0..<min($0 + size, bytes.count)]))
            }
            return .answers(steps, mediaType: nil)
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(3))
            #expect(studio.transport.calls.count == 2)
            #expect(hearing.numbers?.isEmpty == false)
        }
    }

    @Test("ends at once when the playlist is HLS, with a message that says so")
    func hls() async throws {
        let text = "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\npiece.aac\n"
        try await Studio.scene(script: { _, _ in
            Self.text(text, type: "application/vnd.apple.mpegurl")
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(60))
            #expect(studio.transport.calls.count == 1)
            #expect(hearing.state.value.loss?.message.contains("HLS") == true)
            #expect(studio.station.status.phase == .ended)
        }
    }

    @Test("is asked again when one entry can never be played but another is only away")
    func hopelessEntry() async throws {
        try await Studio.scene(script: { number, target in
            switch target {
            case .station: Self.text("#EXTM3U\nlive\nsegments.m3u8\n", type: "audio/x-mpegurl")
            case .entry("live"):
                number < 3
                    ? .fails(SourceError(.unreachable, "No such host."))
                    : .answers([.radio(for: nil)])
            case .entry:
                Self.text(
                    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\npiece.aac\n",
                    type: "application/vnd.apple.mpegurl"
                )
            }
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(3))
            #expect(studio.station.status.phase == .live)
            #expect(hearing.numbers?.isEmpty == false)
        }
    }

    @Test("is asked twice when one entry is refused and another can never be played")
    func refusedAndHopeless() async throws {
        try await Studio.scene(script: { _, target in
            switch target {
            case .station: Self.text("#EXTM3U\ngone\nsegments.m3u8\n", type: "audio/x-mpegurl")
            case .entry("gone"): .refuses(404)
            case .entry:
                Self.text(
                    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\npiece.aac\n",
                    type: "application/vnd.apple.mpegurl"
                )
            }
        }).run { studio in
            let hearing = studio.hear()
            try await studio.pass(.seconds(60))
            #expect(studio.station.status.phase == .ended)
            #expect(studio.transport.calls.count == 6)
            #expect(hearing.state.value.loss != nil)
        }
    }

    @Test("ends when its playlists name only one another")
    func circle() async throws {
        try await Studio.scene(script: { _, _ in
            Self.text("#EXTM3U\nagain.m3u\nonce-more.m3u\n", type: "audio/x-mpegurl")
        }).run { studio in
            _ = studio.hear()
            try await studio.pass(.seconds(60))
            #expect(studio.station.status.reason?.code == .notAudio)
            #expect(studio.station.status.phase == .ended)
            // The station makes one pass, and tries no more than 32 entries in it.
            #expect(studio.transport.calls.count <= 33)
        }
    }

    @Test(
        "fails when the playlist lists nothing, or is larger than 1 MiB",
        arguments: [false, true]
    )
    func unusable(isLarge: Bool) async throws {
        let comment = "#" + String(repeating: "x", count: 1023) + "\n"
        let text = "#EXTM3U\n" + (isLarge ? String(repeating: comment, count: 1100) : "")
        try await Studio.scene(script: { _, _ in Self.text(text, type: "audio/x-mpegurl") }).run {
            studio in
            _ = studio.hear()
            try await studio.pass(.milliseconds(500))
            #expect(studio.transport.calls.count == 2)
            #expect(studio.station.status.reason?.code == .notAudio)
        }
    }
}
