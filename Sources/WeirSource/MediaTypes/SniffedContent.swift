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
    init?(of bytes: FirstBytes) {
        let found =
            Self.signed(bytes) ?? Self.tagged(bytes) ?? Self.audioFrames(bytes) ?? Self.text(bytes)
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
    /// The format of a ``FormatSignature``; if it is a container, the type of its contents.
    static func signed(_ bytes: FirstBytes) -> SniffedContent? {
        guard let type = FormatSignature.first(in: bytes.bytes)?.type else { return nil }
        return switch type {
        case .ogg: Self.ogg(bytes)
        case .matroskaVideo: Self.matroska(bytes)
        case .mp4Video, .quickTime: Self.baseMedia(bytes, type)
        default: SniffedContent(undecided: type)
        }
    }

    /// Sound behind ID3v2 tags (id3.org, ID3v2.4 §3.1).
    ///
    /// ```
    /// | ID3 | version, not FF | revision, not FF | flags: 10 = a footer of 10 bytes follows
    /// | size of the tag without header and footer, 4 × 7 bits
    /// ```
    ///
    /// If the tag is longer than the bytes, the content is most likely MPEG audio, but a header or
    /// a name may be more exact.
    static func tagged(_ bytes: FirstBytes) -> SniffedContent? {
        var rest = bytes
        var hasTag = false
        while let length = Self.tagLength(rest) {
            hasTag = true
            guard length < rest.count else { return Self.behindTag }
            rest = rest.dropping(length)
        }
        guard hasTag else { return nil }
        // Writers that count wrongly leave zeros behind the tag; a box may also begin with zeros.
        let sound = rest.dropping((0..<rest.count).first { rest[$0] != 0 } ?? rest.count)
        let found = Self.signed(rest) ?? Self.signed(sound) ?? Self.audioFrames(sound)
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
    private static func tagLength(_ bytes: FirstBytes) -> Int? {
        guard bytes.has("ID3"), let version = bytes[3], version != 0xFF,
            let revision = bytes[4], revision != 0xFF, let flags = bytes[5]
        else { return nil }
        var size = 0
        for offset in 6..<10 {
            guard let part = bytes[offset], part < 0x80 else { return nil }
            size = size << 7 | Int(part)
        }
        return 10 + size + (flags & 0x10 != 0 ? 10 : 0)
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
        let bytes = FirstBytes(head)
        guard let form = Self.allCases.first(where: { bytes.has($0.beginning) }) else {
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
