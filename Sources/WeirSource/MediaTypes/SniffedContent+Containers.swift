// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// ISO base media files (ISO/IEC 14496-12 §4.2) and QuickTime, their predecessor.
    ///
    /// ```
    /// | size, 32 bits | type, 4 letters | major brand, 4 letters, if the type is ftyp or styp
    /// ```
    ///
    /// The parameter `type` is the type that the first box alone shows.
    static func baseMedia(_ bytes: FirstBytes, _ type: MediaType) -> SniffedContent? {
        if bytes.has("ftyp", at: 4) || bytes.has("styp", at: 4) {
            return bytes.count >= 12 ? Self.branded(bytes) : nil
        }
        // By definition a file without a brand is QuickTime, but some writers have omitted the
        // brand of MP4.
        return type == .quickTime
            ? SniffedContent(.quickTime, or: [.mp4Video, .mp4Audio])
            : SniffedContent(undecided: type)
    }

    private static func branded(_ bytes: FirstBytes) -> SniffedContent {
        let brands: [(StaticString, SniffedContent)] = [
            ("M4A ", SniffedContent(.mp4Audio)),
            ("M4B ", SniffedContent(.mp4Audio)),
            ("M4P ", SniffedContent(.mp4Audio)),
            ("F4A ", SniffedContent(.mp4Audio)),
            ("F4B ", SniffedContent(.mp4Audio)),
            ("M4V", SniffedContent(.mp4Video)),
            ("qt  ", SniffedContent(.quickTime)),
            ("3g2", SniffedContent(.threeGPP2Video)),
            ("KDDI", SniffedContent(.threeGPP2Video)),
            ("3g", SniffedContent(undecided: .threeGPPVideo)),
            ("3G", SniffedContent(undecided: .threeGPPVideo)),
            ("avif", SniffedContent(.avif)),
            ("avis", SniffedContent(.avif)),
            ("heic", SniffedContent(.heic)),
            ("heix", SniffedContent(.heic)),
            ("mif1", SniffedContent(.heic)),
        ]
        return brands.first { bytes.has($0.0, at: 8) }?.1 ?? SniffedContent(undecided: .mp4Video)
    }

    /// Matroska and WebM: an EBML header (RFC 8794 §11.2) that names its document type.
    static func matroska(_ bytes: FirstBytes) -> SniffedContent? {
        guard bytes.has([0x1A, 0x45, 0xDF, 0xA3]), let header = Self.variableSize(bytes, at: 4)
        else { return nil }
        var offset = 4 + header.width
        // Every element is at least two bytes long, so the number of bytes bounds the loop.
        while offset < bytes.count {
            guard let first = bytes[offset], first != 0 else { return nil }
            let identifierWidth = first.leadingZeroBitCount + 1
            guard let size = Self.variableSize(bytes, at: offset + identifierWidth) else {
                return nil
            }
            let content = offset + identifierWidth + size.width
            if bytes.has([0x42, 0x82], at: offset) {
                return Self.documentType(bytes, at: content, length: size.value)
            }
            guard size.value < UInt64(bytes.count) else { return nil }
            offset = content + Int(size.value)
        }
        return nil
    }

    private static func documentType(
        _ bytes: FirstBytes,
        at offset: Int,
        length: UInt64
    ) -> SniffedContent? {
        if length >= 4, bytes.has("webm", at: offset) {
            return SniffedContent(undecided: .webMVideo)
        }
        if length >= 8, bytes.has("matroska", at: offset) {
            return SniffedContent(undecided: .matroskaVideo)
        }
        return nil
    }

    /// A size of 1 to 8 bytes: a zero bit for each further byte, a one, and the value (RFC 8794
    /// §4).
    private static func variableSize(
        _ bytes: FirstBytes,
        at offset: Int
    ) -> (value: UInt64, width: Int)? {
        guard let first = bytes[offset], first != 0 else { return nil }
        let width = first.leadingZeroBitCount + 1
        var value = UInt64(first) & ((1 << (8 - width)) - 1)
        for index in 1..<max(1, width) {
            guard let byte = bytes[offset + index] else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return (value, width)
    }

    /// Ogg (RFC 3533 §6), whose first pages each begin a stream and name its codec.
    ///
    /// ```
    /// | OggS | version 0 | flags: 2 begins a stream | granule 64 | serial 32 | sequence 32
    /// | CRC 32 | segments n | n lengths | payload
    /// ```
    static func ogg(_ bytes: FirstBytes) -> SniffedContent? {
        guard bytes.has("OggS\u{0}") else { return nil }
        var hasSound = false
        var page = bytes
        while page.has("OggS\u{0}"), let flags = page[5] {
            guard flags & 0x02 != 0 else {
                // All streams have begun, and none of them is video.
                return hasSound ? SniffedContent(.oggAudio) : SniffedContent(undecided: .ogg)
            }
            guard let segmentCount = page[26] else { break }
            let start = 27 + Int(segmentCount)
            guard start < page.count else { break }
            let payload = page.dropping(start)
            if Self.videoCodecs.contains(where: { payload.has($0) }) {
                return SniffedContent(.oggVideo)
            }
            hasSound = hasSound || Self.audioCodecs.contains { payload.has($0) }
            let length = (27..<start).reduce(0) { $0 + Int(page[$1] ?? 0) }
            page = payload.dropping(length)
        }
        // The bytes end before all streams have begun.
        return hasSound
            ? SniffedContent(.oggAudio, or: [.oggVideo]) : SniffedContent(undecided: .ogg)
    }

    private static let audioCodecs: [StaticString] = [
        "\u{1}vorbis", "OpusHead", "\u{7F}FLAC", "Speex   ", "PCM     ", "CELT    ",
    ]

    private static let videoCodecs: [[UInt8]] = [
        [0x80] + Array("theora".utf8), Array("BBCD\u{0}".utf8), Array("OVP80".utf8),
        [0x01] + Array("video\u{0}\u{0}\u{0}".utf8),
    ]
}
