// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCommand

@Suite("What a URL is")
struct URLProbeTests {
    private typealias Answer = URLProbe.Answer

    private func probe(_ name: PathKind, isFile: Bool = false) -> URLProbe {
        URLProbe(name, isFile: isFile)
    }

    @Test("a file's name is asked as a file, and what has an end is one")
    func file() {
        var probe = self.probe(.audio)
        #expect(probe.begin() == .describe)
        #expect(probe.described(ResourceDescription(length: 5, mediaType: .mpegAudio)) == .file)
    }

    @Test("what can be read from anywhere is a file, though its length is unknown")
    func ranges() {
        var probe = self.probe(.audio)
        _ = probe.begin()
        #expect(probe.described(ResourceDescription(length: nil, acceptsRanges: true)) == .file)
    }

    @Test(
        "a file's name without end and ranges is a station, if its type is that of sound",
        arguments: [
            (nil, .station(isAnswered: false)), (.mpegAudio, .station(isAnswered: false)),
            (.ogg, .station(isAnswered: false)), (.html, .file),
            (MediaType(headerValue: "video/mp4"), .file),
            (MediaType(headerValue: "application/octet-stream"), .station(isAnswered: false)),
            (.m3uPlaylist, .playlist(isAnswered: false)),
        ] as [(MediaType?, URLProbe.Step)]
    )
    func endless(_ type: MediaType?, _ step: URLProbe.Step) {
        var probe = self.probe(.audio)
        _ = probe.begin()
        let description = ResourceDescription(length: nil, mediaType: type, acceptsRanges: false)
        #expect(probe.described(description) == step)
    }

    @Test("another name is asked as a station, whose answer is then the beginning of it")
    func station() {
        var probe = self.probe(.unknown)
        #expect(probe.begin() == .connect)
        #expect(probe.answered(Answer(mediaType: .mpegAudio)) == .station(isAnswered: true))
    }

    @Test(
        "the head of the answer tells files, lists and pages from stations",
        arguments: [
            (Answer(mediaType: .mpegAudio, hasLength: true), .file),
            (Answer(mediaType: .ogg), .station(isAnswered: true)),
            (Answer(mediaType: nil, isStation: true), .station(isAnswered: true)),
            (Answer(mediaType: .html, isStation: true), .station(isAnswered: true)),
            (Answer(mediaType: .mpegAudio, hasLength: true, isStation: true), .file),
            (Answer(mediaType: .plsPlaylist, hasLength: true), .playlist(isAnswered: true)),
            (Answer(mediaType: .xspfPlaylist), .playlist(isAnswered: true)),
            (Answer(mediaType: .html), .file), (Answer(mediaType: nil), .station(isAnswered: true)),
        ] as [(URLProbe.Answer, URLProbe.Step)]
    )
    func answers(_ answer: URLProbe.Answer, _ step: URLProbe.Step) {
        var probe = self.probe(.unknown)
        _ = probe.begin()
        #expect(probe.answered(answer) == step)
    }

    @Test("a list's name is read as a list, by the library alone")
    func list() {
        var probe = self.probe(.playlist)
        #expect(probe.begin() == .playlist(isAnswered: false))
    }

    @Test("what is held, or decrypted, or may not be asked, is a file without a question")
    func held() {
        for name in [PathKind.audio, .unknown, .folder] {
            var probe = self.probe(name, isFile: true)
            #expect(probe.begin() == .file)
        }
    }

    @Test("what is no HTTP to the library is asked as a station, once")
    func icy() {
        var probe = self.probe(.audio)
        _ = probe.begin()
        #expect(probe.failed(.badAnswer) == .connect)
        var again = probe
        #expect(probe.answered(Answer(mediaType: .mpegAudio)) == .station(isAnswered: true))
        #expect(again.failed(.badAnswer) == .fail)
    }

    @Test("what is no station's answer is asked as a file, once")
    func noStation() {
        var probe = self.probe(.unknown)
        _ = probe.begin()
        #expect(probe.failed(.badAnswer) == .describe)
        #expect(probe.failed(.badAnswer) == .fail)
    }

    @Test("a page or a refusal where a folder may be is looked into")
    func folder() {
        var probe = self.probe(.folder)
        #expect(probe.begin() == .connect)
        var other = probe
        #expect(probe.answered(Answer(mediaType: .html)) == .folder)
        #expect(other.failed(.forbidden) == .folder)
        var file = self.probe(.unknown)
        _ = file.begin()
        #expect(file.failed(.forbidden) == .fail)
    }

    @Test(
        "what does not answer is not asked twice",
        arguments: [
            .unreachable, .timedOut, .insecure, .unauthorized, .throttled, .originFailed,
        ] as [SourceError.Code]
    )
    func dead(_ code: SourceError.Code) {
        for name in [PathKind.audio, .unknown, .folder] {
            var probe = self.probe(name)
            _ = probe.begin()
            #expect(probe.failed(code) == .fail)
        }
    }

    @Test(
        "names promise what they say",
        arguments: [
            ("/a/b.mp3", .audio), ("/a/b.FLAC", .audio), ("/a/b.pls", .playlist),
            ("/b.m3u8", .playlist),
            ("/b.xspf", .playlist), ("/b.asx", .playlist), ("/", .folder), ("/music/", .folder),
            ("/stream", .unknown), ("/v1.2/stream", .unknown), ("/;", .unknown),
            ("/a.jpg", .unknown),
            ("/a.mkv", .audio), ("", .unknown), ("/mp3", .unknown),
        ] as [(String, PathKind)]
    )
    func names(_ path: String, _ name: PathKind) {
        #expect(PathKind(path: path) == name)
    }
}
