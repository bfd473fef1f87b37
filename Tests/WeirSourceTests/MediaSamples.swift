// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

/// The first bytes of a file, and their type.
struct MediaSample: Sendable, CustomTestStringConvertible {
    let name: String
    let type: MediaType
    let bytes: [UInt8]
    /// The types that fewer bytes may give.
    let family: [MediaType]

    init(_ name: String, _ type: MediaType, _ bytes: [UInt8], mayBe family: [MediaType] = []) {
        self.name = name
        self.type = type
        self.bytes = bytes
        self.family = family
    }

    init(_ name: String, _ type: MediaType, text: String, mayBe family: [MediaType] = []) {
        self.init(name, type, Array(text.utf8), mayBe: family)
    }

    var testDescription: String { self.name }
}

/// Small valid headers of every format that is sniffed.
enum MediaSamples {
    static let all: [MediaSample] = sound + boxes + streams + texts

    /// MPEG 1 Layer III, 128 kbit/s, 44.1 kHz: 417 bytes.
    static let mpegFrame: [UInt8] = [0xFF, 0xFB, 0x90, 0x64] + zeros(413)
    /// AAC-LC, 44.1 kHz, stereo: 20 bytes.
    static let adtsFrame: [UInt8] = [0xFF, 0xF1, 0x50, 0x80, 0x02, 0x9F, 0xFC] + zeros(13)

    static func transportStream(packets: Int, size: Int, offset: Int = 0) -> [UInt8] {
        let packet = zeros(offset) + [0x47, 0x40, 0x00, 0x10] + zeros(size - 4 - offset)
        return (0..<packets).flatMap { _ in packet }
    }

    static func zeros(_ count: Int) -> [UInt8] { Array(repeating: 0, count: count) }

    /// An ID3v2.3 tag of a size, followed by other bytes.
    static func tagged(_ size: Int, then rest: [UInt8]) -> [UInt8] {
        let parts = [21, 14, 7, 0].map { UInt8(size >> $0 & 0x7F) }
        return Array("ID3".utf8) + [3, 0, 0] + parts + zeros(size) + rest
    }

    /// The first page of an Ogg stream.
    static func oggPage(_ payload: [UInt8], flags: UInt8 = 2) -> [UInt8] {
        let header = Array("OggS".utf8) + [0, flags] + zeros(8) + [1, 2, 3, 4] + zeros(8)
        return header + [1, UInt8(payload.count)] + payload
    }

    /// A box of ISO base media.
    static func box(_ name: String, _ payload: [UInt8]) -> [UInt8] {
        let size = UInt32(payload.count + 8)
        return [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: size >> $0) } + name.utf8 + payload
    }

    static func fileType(_ brand: String) -> [UInt8] {
        box("ftyp", Array("\(brand)\u{0}\u{0}\u{2}\u{0}isomiso2".utf8)) + box("free", [])
    }

    /// An EBML header with some elements before its document type.
    static func matroska(_ documentType: String) -> [UInt8] {
        let version: [UInt8] = [0x42, 0x86, 0x81, 0x01, 0x42, 0xF7, 0x81, 0x01, 0xEC, 0x82, 0, 0]
        let named = [0x42, 0x82, 0x80 | UInt8(documentType.utf8.count)] + Array(documentType.utf8)
        let elements = version + named + [0x42, 0x87, 0x81, 0x04]
        let size: [UInt8] = [0x01, 0, 0, 0, 0, 0, 0, UInt8(elements.count)]
        return [0x1A, 0x45, 0xDF, 0xA3] + size + elements + [0x18, 0x53, 0x80, 0x67]
    }

    private static let vorbis: [UInt8] = [1] + Array("vorbis".utf8) + zeros(23)
    private static let opus: [UInt8] = Array("OpusHead".utf8) + [1, 2, 0x38, 1] + zeros(7)
    private static let theora: [UInt8] = [0x80] + Array("theora".utf8) + zeros(35)
    private static let skeleton: [UInt8] = Array("fishead\u{0}".utf8) + zeros(56)

    private static let sound: [MediaSample] = [
        MediaSample("MP3", .mpegAudio, mpegFrame + mpegFrame),
        MediaSample("MP3, one header", .mpegAudio, [0xFF, 0xFB, 0x90, 0x64]),
        MediaSample(
            "MPEG 2 Layer III",
            .mpegAudio,
            [0xFF, 0xF3, 0x40, 0xC0] + zeros(100) + [0xFF, 0xF3, 0x40, 0xC0]
        ),
        MediaSample("MPEG 2.5 Layer III", .mpegAudio, [0xFF, 0xE3, 0x18, 0xC4]),
        MediaSample("MPEG Layer II", .mpegAudio, [0xFF, 0xFD, 0xA4, 0x04]),
        MediaSample(
            "MPEG Layer I",
            .mpegAudio,
            // 32 kbit/s at 48 kHz: frames of 32 bytes.
            [0xFF, 0xFF, 0x14, 0x04] + zeros(28) + [0xFF, 0xFF, 0x14, 0x04]
        ),
        MediaSample(
            "MP3, free bit rate",
            .mpegAudio,
            [0xFF, 0xFB, 0x00, 0x64] + zeros(300) + [0xFF, 0xFB, 0x00, 0x64]
        ),
        MediaSample("ADTS", .aac, adtsFrame + adtsFrame),
        MediaSample("ID3, all of it art", .mpegAudio, Array(tagged(200_000, then: []).prefix(512))),
        MediaSample("ID3, then MP3", .mpegAudio, tagged(20, then: mpegFrame + mpegFrame)),
        MediaSample("ID3, zeros, then MP3", .mpegAudio, tagged(20, then: zeros(9) + mpegFrame)),
        MediaSample(
            "ID3, then ADTS",
            .aac,
            tagged(20, then: adtsFrame + adtsFrame),
            mayBe: [.mpegAudio]
        ),
        MediaSample(
            "two tags, then FLAC",
            .flac,
            tagged(5, then: tagged(300, then: Array("fLaC\u{0}".utf8))),
            mayBe: [.mpegAudio]
        ),
        MediaSample(
            "ID3, then AIFF",
            .aiff,
            tagged(20, then: Array("FORM\u{0}\u{1}\u{2}\u{3}AIFFCOMM".utf8)),
            mayBe: [.mpegAudio]
        ),
        MediaSample(
            "ID3, then WAV",
            .wav,
            tagged(20, then: Array("RIFF\u{0}\u{1}\u{2}\u{3}WAVEfmt ".utf8)),
            mayBe: [.mpegAudio]
        ),
        MediaSample(
            "ID3, then M4A",
            .mp4Audio,
            tagged(20, then: fileType("M4A ")),
            mayBe: [.mpegAudio]
        ),
        MediaSample("AC-3", .ac3, [0x0B, 0x77, 0xA1, 0xB2, 0x14, 0x40, 0x43, 0xFF]),
        MediaSample("E-AC-3", .enhancedAC3, [0x0B, 0x77, 0x00, 0xBF, 0x3F, 0x84, 0x3F, 0xFF]),
        MediaSample("DTS", .dts, [0x7F, 0xFE, 0x80, 0x01, 0xFC, 0x3C]),
        MediaSample("FLAC", .flac, text: "fLaC\u{0}\u{0}\u{0}\u{22}"),
        MediaSample("AIFF", .aiff, text: "FORM\u{0}\u{1}\u{2}\u{3}AIFFCOMM"),
        MediaSample("AIFF-C", .aiff, text: "FORM\u{0}\u{1}\u{2}\u{3}AIFCFVER"),
        MediaSample("CAF", .caf, text: "caff\u{0}\u{1}\u{0}\u{0}desc"),
        MediaSample("AMR", .amr, text: "#!AMR\n<"),
        MediaSample("AMR-WB", .amrWideBand, text: "#!AMR-WB\n<"),
        MediaSample("Monkey's Audio", .monkeysAudio, Array("MAC ".utf8) + [0x96, 0x0F]),
        MediaSample("WavPack", .wavPack, text: "wvpk\u{10}\u{0}\u{0}\u{0}"),
        MediaSample("Musepack SV8", .musepack, text: "MPCKSH"),
        MediaSample("Musepack SV7", .musepack, Array("MP+".utf8) + [0x17]),
        MediaSample("True Audio", .trueAudio, text: "TTA1\u{1}\u{0}"),
        MediaSample("DSF", .dsf, text: "DSD \u{1C}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}"),
        MediaSample(
            "DSDIFF",
            .dsdiff,
            text: "FRM8\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{1}\u{0}DSD FVER"
        ),
        MediaSample("MIDI", .midi, text: "MThd\u{0}\u{0}\u{0}\u{6}\u{0}\u{1}"),
        MediaSample("AU", .basicAudio, text: ".snd\u{0}\u{0}\u{0}\u{18}"),
    ]

    private static let boxes: [MediaSample] = [
        MediaSample(
            "WAV",
            .wav,
            Array("RIFF".utf8) + [0x24, 0x08, 0x02, 0x00] + Array("WAVEfmt ".utf8)
        ),
        MediaSample(
            "RF64",
            .wav,
            [UInt8]("RF64".utf8) + [255, 255, 255, 255] + Array("WAVEds64".utf8)
        ),
        MediaSample(
            "AVI",
            .avi,
            Array("RIFF".utf8) + [0x24, 0x08, 0xF2, 0x00] + Array("AVI LIST".utf8)
        ),
        MediaSample("RIFF MIDI", .midi, text: "RIFF\u{1}\u{2}\u{3}\u{4}RMIDdata"),
        MediaSample("WebP", .webP, text: "RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 "),
        MediaSample("M4A", .mp4Audio, fileType("M4A ")),
        MediaSample("M4B", .mp4Audio, fileType("M4B ")),
        MediaSample("M4V", .mp4Video, fileType("M4V ")),
        MediaSample("MP4", .mp4Video, fileType("isom")),
        MediaSample("MP4, version 2", .mp4Video, fileType("mp42")),
        MediaSample("a segment", .mp4Video, box("styp", Array("msdh\u{0}\u{0}\u{0}\u{0}".utf8))),
        MediaSample("a fragment", .mp4Video, box("moof", zeros(16))),
        MediaSample("QuickTime", .quickTime, fileType("qt  ")),
        MediaSample("3GP", .threeGPPVideo, fileType("3gp4")),
        MediaSample("3G2", .threeGPP2Video, fileType("3g2a")),
        MediaSample("HEIC", .heic, fileType("heic")),
        MediaSample("AVIF", .avif, fileType("avif")),
        MediaSample("moov first", .quickTime, box("moov", box("mvhd", zeros(100)))),
        MediaSample("mdat first", .quickTime, box("mdat", zeros(100))),
        MediaSample("mdat to the end", .quickTime, zeros(4) + Array("mdat".utf8)),
        MediaSample("mdat of 64 bits", .quickTime, [0, 0, 0, 1] + Array("mdat".utf8) + zeros(8)),
        MediaSample("wide first", .quickTime, box("wide", [])),
        MediaSample("WebM", .webMVideo, matroska("webm")),
        MediaSample("Matroska", .matroskaVideo, matroska("matroska")),
        MediaSample("Ogg Vorbis", .oggAudio, oggPage(vorbis), mayBe: [.ogg]),
        MediaSample("Ogg Opus", .oggAudio, oggPage(opus), mayBe: [.ogg]),
        MediaSample(
            "Ogg FLAC",
            .oggAudio,
            oggPage([0x7F] + Array("FLAC\u{1}".utf8)),
            mayBe: [.ogg]
        ),
        MediaSample("Ogg Speex", .oggAudio, oggPage(Array("Speex   1.2".utf8)), mayBe: [.ogg]),
        MediaSample("Ogg Theora", .oggVideo, oggPage(theora), mayBe: [.ogg]),
        MediaSample(
            "Ogg with sound first",
            .oggVideo,
            oggPage(skeleton) + oggPage(vorbis) + oggPage(theora),
            mayBe: [.ogg, .oggAudio]
        ),
        MediaSample(
            "Ogg with sound only",
            .oggAudio,
            oggPage(skeleton) + oggPage(opus) + oggPage(zeros(20), flags: 0),
            mayBe: [.ogg]
        ),
        MediaSample("Ogg of something", .ogg, oggPage(skeleton)),
    ]

    private static let streams: [MediaSample] = [
        MediaSample(
            "transport stream",
            .mpegTransportStream,
            transportStream(packets: 3, size: 188)
        ),
        MediaSample(
            "M2TS",
            .mpegTransportStream,
            transportStream(packets: 3, size: 192, offset: 4)
        ),
        MediaSample("with parity", .mpegTransportStream, transportStream(packets: 3, size: 204)),
        MediaSample("MPEG 2 program", .mpegVideo, [0, 0, 1, 0xBA, 0x44, 0, 4, 0]),
        MediaSample("MPEG 1 program", .mpegVideo, [0, 0, 1, 0xBA, 0x21, 0, 1, 0]),
        MediaSample("MPEG video", .mpegVideo, [0, 0, 1, 0xB3, 0x16, 0x01, 0x20, 0x13]),
        MediaSample("Flash Video", .flashVideo, Array("FLV".utf8) + [1, 5, 0, 0, 0, 9]),
        MediaSample(
            "ASF",
            .asf,
            [
                0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0, 0xAA, 0, 0x62, 0xCE,
                0x6C, 1,
            ]
        ),
        MediaSample("RealMedia", .realMedia, text: ".RMF\u{0}\u{0}\u{0}\u{12}"),
        MediaSample("PNG", .png, [0x89] + Array("PNG\r\n\u{1A}\n".utf8)),
        MediaSample("JPEG", .jpeg, [0xFF, 0xD8, 0xFF, 0xE0, 0, 0x10]),
        MediaSample("GIF", .gif, text: "GIF89a\u{1}\u{0}"),
        MediaSample("PDF", .pdf, text: "%PDF-1.7\n"),
        MediaSample("ZIP", .zip, text: "PK\u{3}\u{4}\u{14}"),
        MediaSample("gzip", .gzip, [0x1F, 0x8B, 0x08, 0, 0]),
    ]

    private static let texts: [MediaSample] = [
        MediaSample("HTML", .html, text: "<!DOCTYPE html>\n<html><head><title>Sign in</title>"),
        MediaSample(
            "HTML, in small letters",
            .html,
            text: "<!doctype HTML PUBLIC \"-//W3C//DTD\">"
        ),
        MediaSample("HTML, root only", .html, text: "<HTML lang=en>"),
        MediaSample("HTML, head only", .html, text: "<Head>"),
        MediaSample("HTML, body only", .html, text: " \r\n\t<body class=x>"),
        MediaSample(
            "HTML behind a mark, blanks and comments",
            .html,
            text: "\u{FEFF} \n<!-- <audio> -->\n<!-- b --><html>"
        ),
        MediaSample(
            "an error of nginx",
            .html,
            text: "<html>\r\n<head><title>403 Forbidden</title>"
        ),
        MediaSample(
            "XHTML",
            .html,
            text: "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\">\n<html xmlns=\"y\">",
            mayBe: [.xml]
        ),
        MediaSample(
            "XML error",
            .xml,
            text: "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code></Error>"
        ),
        MediaSample("SVG", .xml, text: "<?xml version=\"1.0\"?><!-- Made --><svg width=\"1\"/>"),
        MediaSample(
            "DASH",
            .dashManifest,
            text: "<?xml version=\"1.0\"?>\n<MPD xmlns=\"u\">",
            mayBe: [.xml]
        ),
        MediaSample(
            "XSPF",
            .xspfPlaylist,
            text: "<?xml version=\"1.0\"?><playlist version=\"1\">",
            mayBe: [.xml]
        ),
        MediaSample("JSON object", .json, text: "{\n  \"error\": \"not found\"}"),
        MediaSample("JSON list", .json, text: "[ {\"a\": 1} ]"),
        MediaSample("empty JSON object", .json, text: " {}"),
        MediaSample("M3U", .m3uPlaylist, text: "#EXTM3U\n#EXTINF:1,a\nhttp://x/y.mp3"),
        MediaSample("M3U behind a mark", .m3uPlaylist, text: "\u{FEFF}#EXTM3U\n"),
        MediaSample(
            "HLS",
            .hlsPlaylist,
            text: "#EXTM3U\n#EXT-X-VERSION:3\n",
            mayBe: [.m3uPlaylist]
        ),
        MediaSample("PLS", .plsPlaylist, text: "[Playlist]\nFile1=http://x/\n"),
    ]
}
