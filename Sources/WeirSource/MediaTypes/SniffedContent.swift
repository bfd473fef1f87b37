// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The result of looking at a resource's first bytes: a type, and the alternatives that they allow.
struct SniffedContent: Hashable {
    /// The type of the bytes if nothing else is known.
    let type: MediaType
    /// The other possible types, if a header or a name says so.
    let alternatives: [MediaType]

    init(_ type: MediaType, or alternatives: [MediaType] = []) {
        self.type = type
        self.alternatives = alternatives
    }

    /// Content whose type a header or a name may refine to one of its ``contents``.
    init(undecided type: MediaType) {
        self.init(type.canonical, or: Self.contents[type.canonical] ?? [])
    }

    /// Reads the first bytes.
    init?(of window: ByteWindow) {
        let found =
            Self.signature(window)
            ?? Self.riff(window)
            ?? Self.baseMedia(window)
            ?? Self.ogg(window)
            ?? Self.matroska(window)
            ?? Self.tagged(window)
            ?? Self.mpegStream(window)
            ?? Self.audioFrames(window)
            ?? Self.text(window)
        guard let found else { return nil }
        self = found
    }

    /// Whether a header or a name may refine the content to this canonical type.
    func allows(_ candidate: MediaType) -> Bool {
        if self.alternatives.contains(candidate) { return true }
        switch self.type {
        case .xml: return candidate.essence.hasSuffix("+xml")
        case .json: return candidate.essence.hasSuffix("+json")
        default: return false
        }
    }

    /// The types that a container may turn out to be.
    static let contents: [MediaType: [MediaType]] = [
        .mp4Video: [.mp4Audio, .threeGPPVideo, .threeGPPAudio, .threeGPP2Video],
        .threeGPPVideo: [.threeGPPAudio, .threeGPP2Video],
        .ogg: [.oggAudio, .oggVideo],
        .webMVideo: [.webMAudio],
        .matroskaVideo: [.matroskaAudio],
        .asf: [.wma, .wmv],
        .m3uPlaylist: [.hlsPlaylist],
    ]
}

extension SniffedContent {
    /// Formats that a few fixed bytes at the start identify with certainty.
    static func signature(_ window: ByteWindow) -> SniffedContent? {
        if let known = Self.signatures.first(where: { window.has($0.bytes) }) {
            return SniffedContent(undecided: known.type)
        }
        // Musepack SV7: `MP+`, the version in the low half of the next byte.
        if window.has("MP+"), let version = window[3], version & 0x0F == 7 {
            return SniffedContent(.musepack)
        }
        // Flash Video: version 1; of the flags, only audio (4) and video (1) are allowed.
        if window.has("FLV\u{1}"), let flags = window[4], flags & 0xFA == 0 {
            return SniffedContent(.flashVideo)
        }
        // Interchange File Format: `FORM`, a length, and the form; DSDIFF has lengths of 64 bits.
        if window.has("FORM"), window.has("AIFF", at: 8) || window.has("AIFC", at: 8) {
            return SniffedContent(.aiff)
        }
        if window.has("FRM8"), window.has("DSD ", at: 12) { return SniffedContent(.dsdiff) }
        return Self.dolby(window)
    }

    /// AC-3 and E-AC-3 (ETSI TS 102 366 §4.4.1, §E.1.2), whose frames are too long to look for a second frame.
    ///
    /// ```
    /// 0x0B77 | AC-3: 16 checksum | 2 sample rate, below 3 | 6 frame size, below 38 | 5 bsid: 8 or, for the alternate
    /// syntax, 6 | …
    ///          E-AC-3: 2 type | 3 substream | 11 size | 8 | 5 bsid: 16 | …
    /// ```
    private static func dolby(_ window: ByteWindow) -> SniffedContent? {
        guard window.has([0x0B, 0x77]), let rates = window[4], let version = window[5] else {
            return nil
        }
        if version >> 3 == 16 { return SniffedContent(.enhancedAC3) }
        let isKnown = version >> 3 == 8 || version >> 3 == 6
        return isKnown && rates >> 6 < 3 && rates & 0x3F < 38 ? SniffedContent(.ac3) : nil
    }

    /// RIFF and its variants for large files: four letters, a length, and the form.
    static func riff(_ window: ByteWindow) -> SniffedContent? {
        guard window.has("RIFF") || window.has("RIFX") || window.has("RF64") || window.has("BW64")
        else { return nil }
        let forms: [(StaticString, MediaType)] = [
            ("WAVE", .wav), ("AVI ", .avi), ("RMID", .midi), ("WEBP", .webP), ("CDXA", .mpegVideo),
        ]
        return forms.first { window.has($0.0, at: 8) }.map { SniffedContent($0.1) }
    }

    private static let signatures: [(bytes: [UInt8], type: MediaType)] = [
        (Array("fLaC".utf8), .flac),
        (Array("caff".utf8) + [0, 1], .caf),
        (Array("#!AMR\n".utf8), .amr),
        (Array("#!AMR-WB\n".utf8), .amrWideBand),
        (Array("MAC ".utf8), .monkeysAudio),
        (Array("wvpk".utf8), .wavPack),
        (Array("MPCK".utf8), .musepack),
        (Array("TTA1".utf8), .trueAudio),
        (Array("DSD ".utf8) + [28, 0, 0, 0], .dsf),
        (Array("MThd".utf8) + [0, 0, 0, 6], .midi),
        (Array(".snd".utf8) + [0, 0], .basicAudio),
        (Array(".RMF".utf8) + [0, 0], .realMedia),
        // DTS: the synchronization word in 16 and in 14 bits, each in both orders of bytes.
        ([0x7F, 0xFE, 0x80, 0x01], .dts),
        ([0xFE, 0x7F, 0x01, 0x80], .dts),
        ([0x1F, 0xFF, 0xE8, 0x00], .dts),
        ([0xFF, 0x1F, 0x00, 0xE8], .dts),
        // The header object of ASF: its GUID, as stored.
        (
            [
                0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62,
                0xCE, 0x6C,
            ], .asf
        ),
        // Formats that are not media but often come in their place.
        ([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A], .png),
        ([0xFF, 0xD8, 0xFF], .jpeg),
        (Array("GIF87a".utf8), .gif),
        (Array("GIF89a".utf8), .gif),
        (Array("%PDF-".utf8), .pdf),
        (Array("PK\u{3}\u{4}".utf8), .zip),
        ([0x1F, 0x8B, 0x08], .gzip),
    ]

    /// Sound behind ID3v2 tags (id3.org, ID3v2.4 §3.1).
    ///
    /// ```
    /// | ID3 | version, not FF | revision, not FF | flags: 10 = a footer of 10 bytes follows
    /// | size of the tag without header and footer, 4 × 7 bits
    /// ```
    ///
    /// If the tag is longer than the bytes, the content is most likely MPEG audio, but a header or a name may be
    /// more exact.
    static func tagged(_ window: ByteWindow) -> SniffedContent? {
        var rest = window
        var hasTag = false
        while let length = Self.tagLength(rest) {
            hasTag = true
            guard length < rest.count else { return Self.behindTag }
            rest = rest.dropping(length)
        }
        guard hasTag else { return nil }
        // Writers that count wrongly leave zeros behind the tag; a box may also begin with zeros.
        let sound = rest.dropping((0..<rest.count).first { rest[$0] != 0 } ?? rest.count)
        let found =
            Self.baseMedia(rest) ?? Self.mpegStream(rest) ?? Self.signature(sound)
            ?? Self.riff(sound) ?? Self.ogg(sound) ?? Self.matroska(sound)
            ?? Self.audioFrames(sound)
        // A picture may be the rest of a tag whose writer counted wrongly.
        return found.flatMap { $0.type.isMedia ? $0 : nil } ?? Self.behindTag
    }

    private static let behindTag = SniffedContent(
        .mpegAudio,
        or: [
            .aac, .flac, .monkeysAudio, .wavPack, .musepack, .trueAudio, .aiff, .wav, .mp4Audio,
            .oggAudio, .ac3, .enhancedAC3, .dts,
        ]
    )

    /// The length of the tag at the start with header and footer; `nil` without a tag.
    private static func tagLength(_ window: ByteWindow) -> Int? {
        guard window.has("ID3"), let version = window[3], version != 0xFF,
            let revision = window[4], revision != 0xFF, let flags = window[5]
        else { return nil }
        var size = 0
        for offset in 6..<10 {
            guard let part = window[offset], part < 0x80 else { return nil }
            size = size << 7 | Int(part)
        }
        return 10 + size + (flags & 0x10 != 0 ? 10 : 0)
    }

    /// MPEG audio and ADTS: frames that begin with a synchronization word and nothing else.
    static func audioFrames(_ window: ByteWindow) -> SniffedContent? {
        guard let word = window.bigEndian32(at: 0) else { return nil }
        if let header = MPEGAudioHeader(word) {
            return Self.agrees(header, window) ? SniffedContent(.mpegAudio) : nil
        }
        if let length = Self.adtsFrameLength(window, at: 0) {
            let next = window.dropping(length)
            // Every fixed bit of the header except the copyright bits is the same in the next frame.
            guard let nextWord = next.bigEndian32(at: 0) else { return SniffedContent(.aac) }
            return (word ^ nextWord) & 0xFFFF_FFC0 & ~0x0000_0200 == 0 ? SniffedContent(.aac) : nil
        }
        return nil
    }

    /// Whether the next header, if the bytes reach it, belongs to the same stream.
    private static func agrees(_ header: MPEGAudioHeader, _ window: ByteWindow) -> Bool {
        if let length = header.frameLength {
            guard let next = window.bigEndian32(at: length) else {
                // A UTF-16 text also begins with FF FE, its byte order mark: Layer I must be confirmed.
                return header.layer != .first
            }
            return header.continues(in: next)
        }
        // A free bit rate gives no length: look for the next header as far as a frame can reach.
        return (24..<max(24, window.count)).contains { offset in
            window[offset] == 0xFF && window.bigEndian32(at: offset).map(header.continues) == true
        }
    }

    /// The length of an ADTS frame with its header (ISO/IEC 14496-3 §1.A.2).
    ///
    /// ```
    /// 12 sync FFF | 1 version | 2 layer 0 | 1 no CRC | 2 profile | 4 rate, below 13 | 1 private
    /// | 3 channels | 4 | 13 frame length | 11 fullness | 2 blocks
    /// ```
    private static func adtsFrameLength(_ window: ByteWindow, at offset: Int) -> Int? {
        guard let word = window.bigEndian32(at: offset), word >> 16 & 0xFFF6 == 0xFFF0,
            word >> 10 & 0xF < 13, let fourth = window[offset + 4], let fifth = window[offset + 5]
        else { return nil }
        let length = Int(word & 0x3) << 11 | Int(fourth) << 3 | Int(fifth) >> 5
        let headerLength = word & 0x0001_0000 != 0 ? 7 : 9
        return length > headerLength ? length : nil
    }
}

/// A format of encrypted files that their first bytes show.
package enum EncryptedForm: Hashable, Sendable, CaseIterable {
    /// A file of age, version 1, in its binary form.
    case age
    /// A file of `openssl enc` with a passphrase: a salt comes before the ciphertext.
    case openSSL

    /// Reads the first bytes; `nil` if they belong to none of these formats.
    package init?(of head: UnsafeRawBufferPointer) {
        let window = ByteWindow(head)
        guard let form = Self.allCases.first(where: { window.has($0.beginning) }) else {
            return nil
        }
        self = form
    }

    private var beginning: [UInt8] {
        switch self {
        case .age: Array("age-encryption.org/v1\n".utf8)
        case .openSSL: Array("Salted__".utf8)
        }
    }
}
