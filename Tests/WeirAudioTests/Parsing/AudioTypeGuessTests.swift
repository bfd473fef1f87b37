// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Recognising the format of a stream")
struct AudioTypeGuessTests {
    private static let mpeg = [[UInt8]](
        repeating: [0xFF, 0xFB, 0x90, 0x64] + [UInt8](repeating: 0x55, count: 413),
        count: 40
    ).flatMap { $0 }
    private static let adts = [[UInt8]](
        repeating: [0xFF, 0xF1, 0x50, 0x80, 0x0C, 0x9F, 0xFC] + [UInt8](repeating: 0x55, count: 93),
        count: 60
    ).flatMap { $0 }
    private static let loas = [[UInt8]](
        repeating: [0x56, 0xE0, 0x40] + [UInt8](repeating: 0x55, count: 64),
        count: 60
    ).flatMap { $0 }
    /// Layer III in free format, 200 bytes a frame.
    private static let free = [[UInt8]](
        repeating: [0xFF, 0xFB, 0x00, 0x64] + [UInt8](repeating: 0x55, count: 196),
        count: 60
    ).flatMap { $0 }

    private func guess(
        _ bytes: [UInt8],
        isWhole: Bool = true,
        _ hint: AudioTypeHint = AudioTypeHint()
    ) -> Sniffing {
        AudioTypeGuess.guess(ByteMemory(bytes), isWhole: isWhole, hint: hint)
    }

    private func garbage(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(count))
        return (0..<count).map { _ in UInt8.random(in: 0...254, using: &random) }
    }

    @Test("First bytes identify formats")
    func marks() {
        func front(_ bytes: [UInt8]) -> [UInt8] { bytes + [UInt8](repeating: 0, count: 64) }
        let marks: [([UInt8], AudioContainer)] = [
            (TagBytes.ascii("OggS\0"), .ogg), (TagBytes.ascii("fLaC"), .flac),
            (TagBytes.ascii("RIFF1234WAVE"), .wave), (TagBytes.ascii("RIFX1234WAVE"), .wave),
            (TagBytes.ascii("RF641234WAVE"), .wave), (TagBytes.ascii("\0\0\0\u{1C}ftypM4A "), .mp4),
            (TagBytes.ascii("\0\0\0\u{1}mdat"), .mp4), (TagBytes.ascii("\0\0\0\u{8}free"), .mp4),
            (TagBytes.ascii("\0\0\0\u{18}styp"), .mp4), (TagBytes.ascii("\0\0\u{1}\0moov"), .mp4),
        ]
        for (bytes, container) in marks {
            #expect(
                self.guess(front(bytes), isWhole: false) == .container(container, agreeingFrames: 1)
            )
        }
        #expect(self.guess(front(TagBytes.ascii("RIFF1234AVI ")), isWhole: true) == .unknown)
    }

    @Test("Headers identify frames, behind garbage and behind a tag")
    func frames() {
        let tag = TagBytes.id3v2(
            4,
            [TagBytes.frame(4, "TIT2", [0] + [UInt8](repeating: 0x41, count: 3000))]
        )
        let all = [
            (Self.mpeg, AudioContainer.mpegAudio), (Self.adts, .adts), (Self.loas, .loas),
        ]
        for (frames, container) in all {
            for front in [[], tag, tag + tag] as [[UInt8]] {
                #expect(self.guess(front + frames) == .container(container, agreeingFrames: 3))
                #expect(self.guess(front + Self.free) == .container(.mpegAudio, agreeingFrames: 5))
            }
            for front in [
                self.garbage(1000), [0, 0, 0, 0], tag + self.garbage(300),
            ] as [[UInt8]] {
                #expect(self.isFound(self.guess(front + frames), container))
                #expect(!self.isFound(self.guess(front + Self.free), .mpegAudio))
            }
            #expect(self.isFound(self.guess(Array(frames.dropFirst(50))), container))
        }
        #expect(self.guess(Self.mpeg, isWhole: false) == .container(.mpegAudio, agreeingFrames: 3))
    }

    private func isFound(_ sniffing: Sniffing, _ container: AudioContainer) -> Bool {
        guard case .container(container, let count) = sniffing else { return false }
        return count >= 3
    }

    @Test("Behind garbage, a few frames without successors count as chance")
    func fewFrames() {
        let few = self.garbage(700) + Array(Self.mpeg.prefix(4 * 417))
        #expect(self.guess(few + self.garbage(30_000)) == .unknown)
        #expect(self.isFound(self.guess(few), .mpegAudio))
        let many = self.garbage(700) + Array(Self.mpeg.prefix(14 * 417)) + self.garbage(60_000)
        #expect(self.guess(many) == .container(.mpegAudio, agreeingFrames: 12))
        // At the front three agreeing frames are enough.
        let front = Array(Self.mpeg.prefix(4 * 417)) + self.garbage(30_000)
        #expect(self.guess(front) == .container(.mpegAudio, agreeingFrames: 3))
    }

    @Test("The bytes count more than the hint")
    func contentFirst() {
        let hint = AudioTypeHint(mediaType: "audio/mpeg", fileExtension: "mp3")
        #expect(self.guess(Self.adts, hint) == .container(.adts, agreeingFrames: 3))
        #expect(self.guess(TagBytes.ascii("<!DOCTYPE html><html>"), hint) == .page(.html))
        #expect(
            self.guess(TagBytes.ascii("OggS\0\u{2}"), hint) == .container(.ogg, agreeingFrames: 1)
        )
    }

    @Test("A short stream needs only the frames it has")
    func short() {
        #expect(
            self.guess(Array(Self.mpeg.prefix(417))) == .container(.mpegAudio, agreeingFrames: 1)
        )
        #expect(
            self.guess(Array(Self.mpeg.prefix(837))) == .container(.mpegAudio, agreeingFrames: 2)
        )
        #expect(
            self.guess(Array(Self.mpeg.prefix(834)) + TagBytes.id3v1(title: "x"))
                == .container(.mpegAudio, agreeingFrames: 2)
        )
        #expect(self.guess(Array(Self.mpeg.prefix(417)), isWhole: false) == .needsMore)
        #expect(self.guess(Array(Self.mpeg.prefix(400))) == .unknown)
        #expect(self.guess([]) == .unknown)
        #expect(self.guess([], isWhole: false) == .needsMore)
        #expect(self.guess([0xFF]) == .unknown)
    }

    @Test("Garbage of more than 16 KiB is searched only where the hint promises frames")
    func muchGarbage() {
        let hint = AudioTypeHint(mediaType: "audio/mpeg")
        let far = self.garbage(40_000) + Self.mpeg
        #expect(self.isFound(self.guess(far, hint), .mpegAudio))
        #expect(self.guess(far, isWhole: false) == .unknown)
        let farther = self.garbage(100_000) + Self.mpeg
        #expect(self.guess(farther, hint) == .container(.mpegAudio, agreeingFrames: 0))
        #expect(self.guess(self.garbage(50_000)) == .unknown)
        #expect(
            self.guess(self.garbage(50_000), AudioTypeHint(fileExtension: "flac"))
                == .container(.flac, agreeingFrames: 0)
        )
    }

    @Test("A page behind garbage identifies a joined Ogg stream")
    func joinedOgg() {
        let page = TagBytes.ascii("OggS\0\0") + [UInt8](repeating: 0, count: 100)
        #expect(self.guess(self.garbage(9000) + page) == .container(.ogg, agreeingFrames: 1))
    }

    @Test(
        "Each kind of page and playlist is recognised",
        arguments: [
            ("<html><body>no</body></html>", Sniffing.page(.html)),
            ("\u{FEFF}\n  <!DOCTYPE HTML PUBLIC>", .page(.html)),
            ("<?xml version=\"1.0\"?>\n<html>", .page(.html)),
            ("<?xml version=\"1.0\"?><error/>", .page(.xml)),
            ("{\"error\": 404}", .page(.json)), ("[1, 2]", .page(.json)),
            ("404 not found", .page(.text)), ("Zugriff verweigert: Köln", .page(.text)),
            ("#EXTM3U\nПесня.mp3\nМузыка и песни.mp3", .playlist(.m3u)),
            ("\u{FEFF}歌曲歌曲歌曲歌曲歌曲\n", .page(.text)), ("歌曲歌曲歌曲歌曲", .page(.text)),
            ("#EXTM3U\nhttp://x/", .playlist(.m3u)), ("#EXTM3U\n#EXT-X-VERSION:3", .playlist(.hls)),
            ("[playlist]\nFile1=x", .playlist(.pls)), ("[Playlist]\r\n", .playlist(.pls)),
            ("<ASX version=\"3\">", .playlist(.asx)),
            ("<?xml?><playlist xmlns=\"\">", .playlist(.xspf)),
            ("http://x/stream\n", .playlist(.m3u)),
            ("# made by hand\r\n\r\n# twice\r\nhttp://x/stream\r\n", .playlist(.m3u)),
            ("\u{FEFF}# marked\nhttp://x/stream\n", .playlist(.m3u)),
            ("# a page about http://x/\nand text\nhttp://x/\n", .page(.text)),
        ]
    )
    func text(_ text: String, _ expected: Sniffing) {
        #expect(self.guess(Array(text.utf8)) == expected)
        let long = Array(text.utf8) + [UInt8](repeating: 0x20, count: 2000)
        #expect(self.guess(long, isWhole: false) == expected)
        #expect(self.guess(Array(text.utf8), isWhole: false) == .needsMore)
    }

    @Test("Paths without a header are a playlist where the hint says so")
    func hintedPlaylist() {
        let hint = AudioTypeHint(mediaType: "audio/x-mpegurl; charset=utf-8")
        #expect(self.guess(TagBytes.ascii("a.mp3\nb.mp3\n"), hint) == .playlist(.m3u))
        #expect(self.guess(TagBytes.utf16("<html></html>")) == .page(.html))
    }

    @Test(
        "Media types lose their parameters, and unknown types give no container",
        arguments: [
            ("audio/MPEG; charset=x", nil, AudioContainer.mpegAudio as AudioContainer?),
            ("audio/aacp", "mp3", .adts), ("application/octet-stream", ".OGG", .ogg),
            ("text/plain", "m4a", .mp4), ("application/ogg", nil, .ogg),
            ("audio/x-wav", nil, .wave),
            ("audio/unheard-of", "flac", .flac), (nil, "xyz", nil), (nil, nil, nil), ("", "", nil),
        ]
    )
    func hints(_ type: String?, _ ending: String?, _ expected: AudioContainer?) {
        #expect(AudioTypeHint(mediaType: type, fileExtension: ending).container == expected)
    }

    @Test("Chunks of any size give the same result")
    func chunks() {
        let tag = TagBytes.id3v2(3, [TagBytes.frame(3, "TIT2", [0, 0x41])], padding: 30)
        let streams = [
            Self.mpeg, Self.adts, tag + Self.mpeg, self.garbage(700) + Self.adts,
            self.garbage(20_000),
            Self.free, TagBytes.ascii("<html>" + String(repeating: "x", count: 1500)),
            Array(Self.mpeg.prefix(900)), self.garbage(30_000) + Self.mpeg, tag,
        ]
        for hint in [AudioTypeHint(), AudioTypeHint(mediaType: "audio/mpeg")] {
            for stream in streams {
                let whole = self.guess(stream, hint)
                #expect(whole != .needsMore)
                for size in stream.count > 10_000 ? [64, 4096] : [1, 100, 4096] {
                    #expect(self.guess(stream, hint, chunk: size) == whole, "chunks of \(size)")
                }
            }
        }
    }

    private func guess(_ bytes: [UInt8], _ hint: AudioTypeHint, chunk: Int) -> Sniffing {
        var sniffer = Sniffer(hint: hint)
        var window = ByteWindow()
        var position = 0
        while position < bytes.count {
            let end = min(position + chunk, bytes.count)
            window.push(ByteMemory(copying: bytes[position..<end]))
            position = end
            let answer = sniffer.guess(&window)
            if answer != .needsMore { return answer }
        }
        window.finish()
        return sniffer.guess(&window)
    }

    @Test("Random bytes are not taken for audio")
    func random() {
        var random = SeededGenerator(seed: 5)
        var found = 0
        for _ in 0..<300 {
            let bytes = (0..<4000).map { _ in UInt8.random(in: 0...255, using: &random) }
            if case .container = self.guess(bytes) { found += 1 }
        }
        #expect(found == 0)
    }
}
