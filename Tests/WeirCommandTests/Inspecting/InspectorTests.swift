// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirAudio
import WeirClouds
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The findings of weir inspect in a file")
struct InspectorTests {
    private let folder = TemporaryDirectory()

    /// Inspects a file of these bytes, and returns the findings and the numbers of the packets
    /// shown.
    private func inspect(_ name: String, _ bytes: [UInt8]) async throws -> (Inspection, [Int]) {
        try Data(bytes).write(to: URL(fileURLWithPath: self.folder.path(of: name)))
        let options = MediaLibrary.Configuration(directory: self.folder.path(of: "cache"))
        let storage = FileStorage(folder: self.folder.path)
        return try await MediaLibrary.with(options) { library in
            let media = library.media(try FolderPath(name), in: storage)
            var shown: [Int] = []
            let inspector = Inspector(media: media, isWhole: true)
            let inspection = try await inspector.inspect { shown.append($0.index) }
            return (inspection, shown)
        }
    }

    /// Makes a file of 16-bit samples, one channel, 8000 Hz (RIFF WAVE).
    private static func wave(_ samples: Int) -> [UInt8] {
        func little(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        let data = [UInt8](repeating: 0, count: samples * 2)
        let format = little(1, 2) + little(1, 2) + little(8000, 4) + little(16_000, 4)
        let chunk = Array("fmt ".utf8) + little(16, 4) + format + little(2, 2) + little(16, 2)
        let body = Array("WAVE".utf8) + chunk + Array("data".utf8) + little(data.count, 4) + data
        return Array("RIFF".utf8) + little(body.count, 4) + body
    }

    @Test("the format and every packet, in order")
    func sound() async throws {
        let (inspection, shown) = try await self.inspect("a.wav", Self.wave(20_000))
        #expect(inspection.formats.map(\.codec.word) == ["pcm_s16le"])
        #expect(inspection.formats.first?.sampleRate == 8000)
        #expect(inspection.packets.samples == 20_000)
        #expect(inspection.packets.bytes == 40_000)
        #expect(shown == Array(0..<inspection.packets.count) && !shown.isEmpty)
        #expect(inspection.isComplete && inspection.failure == nil && inspection.hasFindings)
        #expect(inspection.bytes == 40_044)
    }

    @Test("the entries of a playlist, without an error")
    func playlists() async throws {
        let text = "#EXTM3U\n#EXTINF:5,One\na.mp3\nhttp://radio.example/b\n"
        let (inspection, shown) = try await self.inspect("list.m3u", Array(text.utf8))
        #expect(
            inspection.playlist?.entries.map(\.location) == ["a.mp3", "http://radio.example/b"]
        )
        #expect(inspection.failure == nil && shown.isEmpty && inspection.hasFindings)
    }

    @Test("that a playlist has more entries than Weir reads")
    func longPlaylists() async throws {
        let line = "http://radio.example/a\n"
        let text = String(repeating: line, count: Playlist.maximumEntryCount + 1)
        let (inspection, _) = try await self.inspect("list.m3u", Array(text.utf8))
        #expect(inspection.playlist?.isCut == true)
        #expect(inspection.text.hasSuffix("and more, which Weir does not read"))
        let large = String(repeating: line, count: Playlist.maximumByteCount / line.count + 1)
        let (refused, _) = try await self.inspect("list.m3u", Array(large.utf8))
        #expect(refused.playlist == nil)
        #expect(refused.failure?.description.contains("larger than 1 MiB") == true)
    }

    @Test("a list of an unknown kind instead of a page, in OPML, SMIL and WPL")
    func foreignLists() async throws {
        for text in [
            "<opml version=\"2.0\"><head><title>Radio</title></head><body></body></opml>",
            "<?xml version=\"1.0\"?><opml><head/><body><outline text=\"a\"/></body></opml>",
            "<smil xmlns=\"x\"><head></head><body><audio src=\"http://a/b\"/></body></smil>",
            "<?wpl version=\"1.0\"?><smil><head/><body><seq><media src=\"a\"/></seq></body></smil>",
        ] {
            let (inspection, _) = try await self.inspect("list", Array(text.utf8))
            let sentence = inspection.failure?.description ?? ""
            #expect(sentence.contains("a list in a format that Weir cannot read"), "\(sentence)")
        }
    }

    @Test("an error for other content")
    func nothing() async throws {
        let bytes = (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ 7) & 0x7F }
        let (inspection, _) = try await self.inspect("a.bin", bytes)
        #expect(inspection.failure?.status == .content)
        #expect(inspection.failure?.description.contains("a.bin") == true)
        #expect(!inspection.hasFindings && inspection.playlist == nil)
    }
}
