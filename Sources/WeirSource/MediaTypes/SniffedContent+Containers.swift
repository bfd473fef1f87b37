// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// ISO base media files (ISO/IEC 14496-12 §4.2), and the older QuickTime files.
    ///
    /// ```
    /// | size, 32 bits | type, 4 letters | major brand, 4 letters, if the type is ftyp
    /// ```
    static func baseMedia(_ window: ByteWindow) -> SniffedContent? {
        guard let size = window.bigEndian32(at: 0), window.count >= 8 else { return nil }
        if window.has("ftyp", at: 4) || window.has("styp", at: 4) {
            guard window.count >= 12 else { return nil }
            return Self.branded(window)
        }
        // 0: up to the end of the file; 1: the size follows in 64 bits.
        let isSize = size <= 1 || size >= 8
        if isSize, window.has("moov", at: 4) || window.has("mdat", at: 4) {
            return Self.unbranded
        }
        if isSize, window.has("moof", at: 4) || window.has("sidx", at: 4) {
            return SniffedContent(undecided: .mp4Video)
        }
        // Plain text may contain these types. So the first byte of the size must be 0, which is not in plain text.
        let padding: [StaticString] = ["free", "skip", "wide", "pnot"]
        if isSize, size < 0x0100_0000, padding.contains(where: { window.has($0, at: 4) }) {
            return Self.unbranded
        }
        return nil
    }

    /// By definition a file without a brand is QuickTime, but some writers have omitted the brand of MP4.
    private static let unbranded = SniffedContent(.quickTime, or: [.mp4Video, .mp4Audio])

    private static func branded(_ window: ByteWindow) -> SniffedContent {
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
        return brands.first { window.has($0.0, at: 8) }?.1 ?? SniffedContent(undecided: .mp4Video)
    }

    /// Matroska and WebM: an EBML header (RFC 8794 §11.2) that names its document type.
    static func matroska(_ window: ByteWindow) -> SniffedContent? {
        guard window.has([0x1A, 0x45, 0xDF, 0xA3]), let header = Self.variableSize(window, at: 4)
        else { return nil }
        var offset = 4 + header.width
        // Every element is at least two bytes long, so the window bounds the loop.
        while offset < window.count {
            guard let first = window[offset], first != 0 else { return nil }
            let identifierWidth = first.leadingZeroBitCount + 1
            guard let size = Self.variableSize(window, at: offset + identifierWidth) else {
                return nil
            }
            let content = offset + identifierWidth + size.width
            if window.has([0x42, 0x82], at: offset) {
                return Self.documentType(window, at: content, length: size.value)
            }
            guard size.value < UInt64(window.count) else { return nil }
            offset = content + Int(size.value)
        }
        return nil
    }

    private static func documentType(
        _ window: ByteWindow,
        at offset: Int,
        length: UInt64
    ) -> SniffedContent? {
        if length >= 4, window.has("webm", at: offset) {
            return SniffedContent(undecided: .webMVideo)
        }
        if length >= 8, window.has("matroska", at: offset) {
            return SniffedContent(undecided: .matroskaVideo)
        }
        return nil
    }

    /// A size of 1 to 8 bytes: a zero bit for each further byte, a one, and the value (RFC 8794 §4).
    private static func variableSize(
        _ window: ByteWindow,
        at offset: Int
    ) -> (value: UInt64, width: Int)? {
        guard let first = window[offset], first != 0 else { return nil }
        let width = first.leadingZeroBitCount + 1
        var value = UInt64(first) & ((1 << (8 - width)) - 1)
        for index in 1..<max(1, width) {
            guard let byte = window[offset + index] else { return nil }
            value = value << 8 | UInt64(byte)
        }
        return (value, width)
    }

    /// Ogg (RFC 3533 §6), whose first pages each begin a stream and name its codec.
    ///
    /// ```
    /// | OggS | version 0 | flags: 2 begins a stream | granule 64 | serial 32 | sequence 32 | CRC 32
    /// | segments n | n lengths | payload
    /// ```
    static func ogg(_ window: ByteWindow) -> SniffedContent? {
        guard window.has("OggS\u{0}") else { return nil }
        var hasSound = false
        var page = window
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

    /// MPEG transport, program and video streams (ISO/IEC 13818-1 §2.4.3, §2.5.3; 13818-2 §6.2.2).
    static func mpegStream(_ window: ByteWindow) -> SniffedContent? {
        // Packets of 188 bytes; with a time code of 4 bytes before each (M2TS); with 16 bytes of parity after each.
        for (start, step) in [(0, 188), (4, 192), (0, 204)] {
            let isSynchronized = (0..<3).allSatisfy { window[start + $0 * step] == 0x47 }
            if isSynchronized { return SniffedContent(.mpegTransportStream) }
        }
        // A pack header; the following bits distinguish MPEG-2 (01) from MPEG-1 (0010).
        if window.has([0x00, 0x00, 0x01, 0xBA]), let next = window[4],
            next & 0xC0 == 0x40 || next & 0xF0 == 0x20
        {
            return SniffedContent(.mpegVideo)
        }
        // A sequence header, its width and height not zero.
        if window.has([0x00, 0x00, 0x01, 0xB3]), let size = window.bigEndian32(at: 4),
            size >> 20 != 0, size >> 8 & 0xFFF != 0
        {
            return SniffedContent(.mpegVideo)
        }
        return nil
    }
}
