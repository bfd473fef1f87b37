// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCommand

@Suite("The kind of a URL")
struct URLProbeTests {
    private typealias Answer = URLProbe.Answer

    private func probe(_ name: PathKind, isFile: Bool = false) -> URLProbe {
        URLProbe(name, isFile: isFile)
    }

    @Test("a file's name is requested as a file, and a resource with a known length is a file")
    func file() {
        var probe = self.probe(.audio)
        #expect(probe.begin() == .describe)
        #expect(probe.described(ResourceDescription(length: 5, mediaType: .mpegAudio)) == .file)
    }

    @Test("a resource with ranges is a file, though its length is unknown")
    func ranges() {
        var probe = self.probe(.audio)
        _ = probe.begin()
        #expect(probe.described(ResourceDescription(length: nil, acceptsRanges: true)) == .file)
    }

    @Test(
        "a file's name without length and ranges is probed as a station, if its type allows sound",
        arguments: [
            (nil, .connect), (.mpegAudio, .connect), (.ogg, .connect), (.html, .file),
            (MediaType(headerValue: "video/mp4"), .file),
            (MediaType(headerValue: "application/octet-stream"), .connect),
            (.m3uPlaylist, .playlist(isAnswered: false)),
        ] as [(MediaType?, URLProbe.Step)]
    )
    func endless(_ type: MediaType?, _ step: URLProbe.Step) {
        var probe = self.probe(.audio)
        _ = probe.begin()
        let description = ResourceDescription(length: nil, mediaType: type, acceptsRanges: false)
        #expect(probe.described(description) == step)
        guard step == .connect else { return }
        var (file, other) = (probe, probe)
        #expect(probe.answered(Answer(mediaType: type, isStation: true)) == .station)
        #expect(file.answered(Answer(mediaType: type)) == .file)
        #expect(other.failed(.badAnswer) == .file)
    }

    @Test("another name is probed as a station, whose answer becomes the beginning of its stream")
    func station() {
        var probe = self.probe(.unknown)
        #expect(probe.begin() == .connect)
        #expect(probe.answered(Answer(mediaType: .mpegAudio, isStation: true)) == .station)
    }

    @Test("a missing length alone makes no station")
    func chunked() {
        for name in [PathKind.unknown, .folder] {
            var probe = self.probe(name)
            _ = probe.begin()
            #expect(probe.answered(Answer(mediaType: .mpegAudio)) == .file)
        }
    }

    @Test(
        "the fields of a station identify it",
        arguments: [
            ("icy-name", "x", true), ("Ice-Audio-Info", "x", true),
            ("X-Audiocast-Name", "x", true),
            ("Server", "Icecast 2.4.4", true), ("server", "SHOUTcast/2", true),
            ("Server", "nginx", false),
            ("Content-Type", "audio/mpeg", false),
        ]
    )
    func fields(_ name: String, _ value: String, _ isStation: Bool) {
        let answer = StationAnswer(
            fields: [(name, value)],
            mediaType: nil,
            display: "",
            body: NoBody()
        )
        #expect(Answer(answer).isStation == isStation)
    }

    private final class NoBody: StationBody {
        func next() async throws -> ByteMemory? { nil }
        func cancel() {}
    }

    @Test(
        "the head of the response distinguishes files, lists, pages and stations",
        arguments: [
            (Answer(mediaType: .mpegAudio, length: 5), .file),
            (Answer(mediaType: .ogg, isStation: true), .station),
            (Answer(mediaType: nil, isStation: true), .station),
            (Answer(mediaType: .html, isStation: true), .station),
            (Answer(mediaType: .mpegAudio, length: 5, isStation: true), .file),
            (Answer(mediaType: .plsPlaylist, length: 5), .playlist(isAnswered: true)),
            (Answer(mediaType: .xspfPlaylist), .playlist(isAnswered: true)),
            (Answer(mediaType: .html), .describe), (Answer(mediaType: nil), .file),
            (Answer(mediaType: MediaType(headerValue: "text/plain"), length: 5), .text),
            (Answer(mediaType: MediaType(headerValue: "text/plain"), length: 2 << 20), .file),
            (Answer(mediaType: MediaType(headerValue: "text/plain")), .file),
            (Answer(mediaType: .html, length: 5), .describe),
        ] as [(URLProbe.Answer, URLProbe.Step)]
    )
    func answers(_ answer: URLProbe.Answer, _ step: URLProbe.Step) {
        var probe = self.probe(.unknown)
        _ = probe.begin()
        #expect(probe.answered(answer) == step)
    }

    @Test("a list's name is not probed: the library reads the list")
    func list() {
        var probe = self.probe(.playlist)
        #expect(probe.begin() == .playlist(isAnswered: false))
    }

    @Test("a held or encrypted resource, or an offline one, is a file without a request")
    func held() {
        for name in [PathKind.audio, .unknown, .folder] {
            var probe = self.probe(name, isFile: true)
            #expect(probe.begin() == .file)
        }
    }

    @Test("an answer that is not HTTP is probed as a station, once")
    func icy() {
        var probe = self.probe(.audio)
        _ = probe.begin()
        #expect(probe.failed(.badAnswer) == .connect)
        var again = probe
        #expect(probe.answered(Answer(mediaType: .mpegAudio, isStation: true)) == .station)
        #expect(again.failed(.badAnswer) == .fail)
    }

    @Test("a URL whose answer cannot be a station's is requested as a file, once")
    func noStation() {
        var probe = self.probe(.unknown)
        _ = probe.begin()
        #expect(probe.failed(.badAnswer) == .describe)
        #expect(probe.failed(.badAnswer) == .fail)
    }

    @Test("redirects that lead to no answer are followed once")
    func endlessRedirects() {
        for kind in [PathKind.audio, .unknown, .folder] {
            var probe = self.probe(kind)
            _ = probe.begin()
            #expect(probe.failed(.badAnswer, isEndless: true) == .fail)
        }
    }

    @Test("a page or a refusal is listed as a folder where a folder is possible")
    func folder() {
        var probe = self.probe(.folder)
        #expect(probe.begin() == .connect)
        var other = probe
        #expect(probe.answered(Answer(mediaType: .html)) == .folder)
        #expect(other.failed(.forbidden) == .folder)
        var page = self.probe(.unknown)
        _ = page.begin()
        #expect(page.answered(Answer(mediaType: .html)) == .describe)
        var media = page
        #expect(page.failed(.notMedia) == .folder)
        #expect(media.described(ResourceDescription(length: 5)) == .file)
        var file = self.probe(.unknown)
        _ = file.begin()
        #expect(file.failed(.forbidden) == .fail)
    }

    @Test(
        "a host that does not answer is not asked twice",
        arguments: [
            .unreachable, .timedOut, .insecure, .unauthorized, .throttled, .originFailed,
        ] as [SourceError.Code]
    )
    func dead(_ code: SourceError.Code) {
        for name in [PathKind.audio, .unknown, .folder] {
            var probe = self.probe(name)
            _ = probe.begin()
            // The held files of a folder still play. When the origin is away, the probe does not
            // ask it again for them.
            let isAway = [.unreachable, .timedOut].contains(code) && name != .audio
            #expect(probe.failed(code) == (isAway ? .folder : .fail))
        }
    }

    @Test(
        "the form of a path gives the first guess",
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
