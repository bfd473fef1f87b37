// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirCommand

@Suite("What a URL is")
struct URLInquiryTests {
    private typealias Answer = URLInquiry.Answer

    private func inquiry(_ name: AudioName, isFile: Bool = false) -> URLInquiry {
        URLInquiry(URLInquiry.Facts(name: name, isFile: isFile))
    }

    @Test("a file's name is asked as a file, and what has an end is one")
    func file() {
        var inquiry = self.inquiry(.audio)
        #expect(inquiry.begin() == .describe)
        #expect(inquiry.described(ResourceDescription(length: 5, mediaType: .mpegAudio)) == .file)
    }

    @Test("what can be read from anywhere is a file, though nobody tells how long it is")
    func ranges() {
        var inquiry = self.inquiry(.audio)
        _ = inquiry.begin()
        #expect(inquiry.described(ResourceDescription(length: nil, acceptsRanges: true)) == .file)
    }

    @Test(
        "a file's name without end and ranges is a station, if such things are sound",
        arguments: [
            (nil, .station(isAnswered: false)), (.mpegAudio, .station(isAnswered: false)),
            (.ogg, .station(isAnswered: false)), (.html, .file),
            (MediaType(headerValue: "video/mp4"), .file),
            (MediaType(headerValue: "application/octet-stream"), .station(isAnswered: false)),
            (.m3uPlaylist, .playlist(isAnswered: false)),
        ] as [(MediaType?, URLInquiry.Step)]
    )
    func endless(_ type: MediaType?, _ step: URLInquiry.Step) {
        var inquiry = self.inquiry(.audio)
        _ = inquiry.begin()
        let description = ResourceDescription(length: nil, mediaType: type, acceptsRanges: false)
        #expect(inquiry.described(description) == step)
    }

    @Test("another name is asked as a station, whose answer is then the beginning of it")
    func station() {
        var inquiry = self.inquiry(.unknown)
        #expect(inquiry.begin() == .connect)
        #expect(inquiry.answered(Answer(mediaType: .mpegAudio)) == .station(isAnswered: true))
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
        ] as [(URLInquiry.Answer, URLInquiry.Step)]
    )
    func answers(_ answer: URLInquiry.Answer, _ step: URLInquiry.Step) {
        var inquiry = self.inquiry(.unknown)
        _ = inquiry.begin()
        #expect(inquiry.answered(answer) == step)
    }

    @Test("a list's name is read as a list, by nobody but the library")
    func list() {
        var inquiry = self.inquiry(.playlist)
        #expect(inquiry.begin() == .playlist(isAnswered: false))
    }

    @Test("what is held, or decrypted, or may not be asked, is a file without a question")
    func held() {
        for name in [AudioName.audio, .unknown, .folder] {
            var inquiry = self.inquiry(name, isFile: true)
            #expect(inquiry.begin() == .file)
        }
    }

    @Test("what is no HTTP to the library is asked as a station, once")
    func icy() {
        var inquiry = self.inquiry(.audio)
        _ = inquiry.begin()
        #expect(inquiry.failed(.badAnswer) == .connect)
        var again = inquiry
        #expect(inquiry.answered(Answer(mediaType: .mpegAudio)) == .station(isAnswered: true))
        #expect(again.failed(.badAnswer) == .fail)
    }

    @Test("what is no station's answer is asked as a file, once")
    func noStation() {
        var inquiry = self.inquiry(.unknown)
        _ = inquiry.begin()
        #expect(inquiry.failed(.badAnswer) == .describe)
        #expect(inquiry.failed(.badAnswer) == .fail)
    }

    @Test("a page or a refusal where a folder may be is looked into")
    func folder() {
        var inquiry = self.inquiry(.folder)
        #expect(inquiry.begin() == .connect)
        var other = inquiry
        #expect(inquiry.answered(Answer(mediaType: .html)) == .folder)
        #expect(other.failed(.forbidden) == .folder)
        var file = self.inquiry(.unknown)
        _ = file.begin()
        #expect(file.failed(.forbidden) == .fail)
    }

    @Test(
        "what nobody answers is not asked twice",
        arguments: [
            .unreachable, .timedOut, .insecure, .unauthorized, .throttled, .originFailed,
        ] as [SourceError.Code]
    )
    func dead(_ code: SourceError.Code) {
        for name in [AudioName.audio, .unknown, .folder] {
            var inquiry = self.inquiry(name)
            _ = inquiry.begin()
            #expect(inquiry.failed(code) == .fail)
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
        ] as [(String, AudioName)]
    )
    func names(_ path: String, _ name: AudioName) {
        #expect(AudioName(path: path) == name)
    }
}
