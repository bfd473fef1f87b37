// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@Suite("MediaType")
struct MediaTypeTests {
    @Test(
        "a Content-Type is read without its parameters, in lower case",
        arguments: [
            ("audio/mpeg", "audio/mpeg"),
            ("Audio/MPEG", "audio/mpeg"),
            ("  audio/mpeg \t", "audio/mpeg"),
            ("audio/mpeg;", "audio/mpeg"),
            ("audio/mpeg; charset=\"a;b\"; codecs=mp4a.40.2", "audio/mpeg"),
            ("text/html ; charset=utf-8", "text/html"),
            ("application/vnd.apple.mpegurl", "application/vnd.apple.mpegurl"),
            ("application/dash+xml;profiles=\"x", "application/dash+xml"),
            ("video/x-ms-asf", "video/x-ms-asf"),
            ("a!#$%&'+-.^_`|~/b", "a!#$%&'+-.^_`|~/b"),
        ]
    )
    func headerValues(_ value: String, _ essence: String) {
        #expect(MediaType(headerValue: value)?.essence == essence)
    }

    @Test(
        "rubbish is not a type",
        arguments: [
            "", " ", "/", "audio", "audio/", "/mpeg", "audio /mpeg", "audio/ mpeg", "audio/mpeg x",
            "audio/mpeg, audio/mpeg", "audio/mpeg/3", "*/*", "audio/*", "audio//mpeg", "aüdio/mpeg",
            "audio/mpeg\r\nX: y", "audio/mpeg\u{0}", "\"audio/mpeg\"", "(audio)/mpeg",
            ";audio/mpeg",
            String(repeating: "a", count: 128) + "/b", "b/" + String(repeating: "a", count: 128),
        ]
    )
    func rubbish(_ value: String) {
        #expect(MediaType(headerValue: value) == nil)
    }

    @Test("a value is read the same with a blank before it, whatever its bytes are")
    func blankBefore() {
        for byte in UInt8(0)...127 {
            let character = String(UnicodeScalar(byte))
            for value in [
                "\(character)a/b", "a\(character)a/b", "a/\(character)b", "a/b\(character)",
            ] {
                let type = MediaType(headerValue: value)
                #expect(type == MediaType(headerValue: " \(value)"), "\(value)")
            }
        }
    }

    @Test("the names of one format have the same canonical type")
    func aliases() throws {
        let pairs: [(String, MediaType)] = [
            ("audio/mp3", .mpegAudio), ("audio/x-m4a", .mp4Audio), ("audio/x-wav", .wav),
            ("audio/aacp", .aac), ("video/matroska", .matroskaVideo), ("audio/opus", .oggAudio),
            ("application/x-mpegURL", .hlsPlaylist), ("application/xhtml+xml", .html),
            ("audio/never-heard-of", MediaType.octetStream),
        ]
        for (name, type) in pairs.dropLast() {
            let alias = try #require(MediaType(headerValue: name))
            #expect(alias != type)
            #expect(alias.canonical == type)
            #expect(alias.canonical.canonical == type)
        }
        let unknown = try #require(MediaType(headerValue: "audio/never-heard-of"))
        #expect(unknown.canonical == unknown)
    }

    @Test(
        "an extension means a type, in any case",
        arguments: [
            ("mp3", MediaType.mpegAudio), ("MP3", .mpegAudio), ("m4a", .mp4Audio),
            ("m4b", .mp4Audio),
            ("opus", .oggAudio), ("flac", .flac), ("wav", .wav), ("mp4", .mp4Video),
            ("mkv", .matroskaVideo), ("webm", .webMVideo), ("ts", .mpegTransportStream),
            ("m3u8", .hlsPlaylist), ("mpd", .dashManifest), ("mov", .quickTime), ("mp+", .musepack),
        ]
    )
    func extensions(_ name: String, _ type: MediaType) {
        #expect(MediaType(fileExtension: name) == type)
        #expect(type.canonical == type)
        #expect(type.isMedia)
    }

    @Test("without an extension there is no type")
    func unknownExtensions() {
        for name in ["", ".mp3", "php", "mp3 ", "mp33", String(repeating: "m", count: 100_000)] {
            #expect(MediaType(fileExtension: name) == nil)
        }
    }

    @Test("a preferred extension means the type that prefers it")
    func preferredExtensions() throws {
        let types: [MediaType] = [
            .mpegAudio, .aac, .mp4Audio, .oggAudio, .flac, .wav, .aiff, .caf, .webMAudio, .mp4Video,
            .quickTime, .oggVideo, .matroskaVideo, .avi, .hlsPlaylist, .dashManifest, .html, .jpeg,
            .threeGPPVideo, .mpegTransportStream, .midi, .dsf, .wmv, .asf,
        ]
        for type in types {
            let name = try #require(type.preferredFileExtension, "\(type)")
            #expect(MediaType(fileExtension: name) == type)
        }
        #expect(MediaType(headerValue: "audio/mp3")?.preferredFileExtension == "mp3")
        #expect(MediaType.threeGPPAudio.preferredFileExtension == "3gp")
        #expect(MediaType.octetStream.preferredFileExtension == nil)
    }

    @Test("types are distinguished by the facts that they state about the bytes")
    func kinds() throws {
        let silent = [
            "application/octet-stream", "binary/octet-stream", "application/force-download",
            "application/x-download", "text/plain", "multipart/form-data",
        ]
        for name in silent {
            let type = try #require(MediaType(headerValue: name))
            #expect(type.isUninformative)
            #expect(!type.isMedia)
        }
        let media = ["audio/x", "video/y", "application/ogg", "application/x-mpegurl"]
        for name in media {
            let type = try #require(MediaType(headerValue: name))
            #expect(type.isMedia)
            #expect(!type.isUninformative)
            #expect(!type.isHTML)
        }
        #expect(MediaType.html.isHTML && !MediaType.html.isMedia)
        for type in [MediaType.png, .jpeg, .gif, .json, .xml, .pdf, .zip, .gzip, .heic] {
            #expect(!type.isMedia && !type.isHTML && !type.isUninformative)
        }
        #expect(MediaType.mpegAudio.topLevel == "audio")
        #expect("\(MediaType.mpegAudio)" == "audio/mpeg")
    }

    @Test("the content decides, then an informative header, then the name")
    func settling() {
        func settled(_ content: MediaType?, _ header: MediaType?, _ name: String?) -> MediaType? {
            MediaType.settled(content: content, declared: header, fileExtension: name)
        }
        #expect(settled(.flac, .mpegAudio, "ogg") == .flac)
        #expect(settled(nil, .mpegAudio, "ogg") == .mpegAudio)
        #expect(settled(nil, .octetStream, "ogg") == .oggAudio)
        #expect(settled(nil, .plainText, "mp3") == .mpegAudio)
        #expect(settled(nil, nil, "php") == nil)
        #expect(settled(nil, .octetStream, nil) == nil)
        #expect(settled(nil, nil, nil) == nil)
        #expect(settled(nil, MediaType(headerValue: "audio/mp3"), nil) == .mpegAudio)
        #expect(settled(.html, .mpegAudio, "mp3") == .html)
    }

    @Test("a header or a name may name the content of a container")
    func refining() {
        func settled(_ content: MediaType?, _ header: String?, _ name: String?) -> MediaType? {
            MediaType.settled(
                content: content,
                declared: header.flatMap { MediaType(headerValue: $0) },
                fileExtension: name
            )
        }
        #expect(settled(.mp4Video, "audio/mp4", nil) == .mp4Audio)
        #expect(settled(.mp4Video, "audio/x-m4a", "mp4") == .mp4Audio)
        #expect(settled(.mp4Video, nil, "m4a") == .mp4Audio)
        #expect(settled(.mp4Video, "application/octet-stream", "m4b") == .mp4Audio)
        #expect(settled(.mp4Video, "audio/mpeg", "mp3") == .mp4Video)
        #expect(settled(.ogg, nil, "oga") == .oggAudio)
        #expect(settled(.ogg, "video/ogg", "oga") == .oggVideo)
        #expect(settled(.webMVideo, "audio/webm", nil) == .webMAudio)
        #expect(settled(.matroskaVideo, nil, "mka") == .matroskaAudio)
        #expect(settled(.matroskaVideo, "video/webm", nil) == .matroskaVideo)
        #expect(settled(.asf, nil, "wma") == .wma)
        #expect(settled(.xml, "application/rss+xml", nil)?.essence == "application/rss+xml")
        #expect(settled(.mp4Audio, "video/mp4", "mp4") == .mp4Audio)
    }
}
