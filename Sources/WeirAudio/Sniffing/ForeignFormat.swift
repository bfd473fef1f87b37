// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A format that Weir recognises by its first bytes and does not read; an error names it to the user.
///
/// Frames found behind such a signature are a part of the foreign format, or chance. An AIFF file of quiet sound is
/// full of bytes that look like frames without a bit rate. A Matroska file may hold real frames.
enum ForeignFormat {
    /// The format at the front of a stream, or behind its ID3v2 tags.
    ///
    /// - Parameters:
    ///   - view: the first bytes.
    ///   - isAtEnd: whether there are no more bytes.
    /// - Returns: a name with an article if it needs one, such as "a ZIP archive".
    static func find(_ view: ByteView, isAtEnd: Bool) -> Reading<String> {
        if let known = Self.marks.first(where: { Self.has($0.mark, view, at: $0.offset) }) {
            return .found(known.name)
        }
        for form in [Self.transportStream, Self.dolby, Self.adx, Self.flash] {
            switch form(view) {
            case .none: continue
            case .needsMore where isAtEnd: continue
            case let outcome: return outcome
            }
        }
        return .none
    }

    private static func has(_ mark: [UInt8], _ view: ByteView, at offset: Int) -> Bool {
        view.count >= offset + mark.count
            && mark.indices.allSatisfy { view[offset + $0] == mark[$0] }
    }

    // MARK: Formats without a signature

    /// Three sync bytes of an MPEG transport stream (ISO 13818-1 §2.4.3.2).
    ///
    /// A packet has 188 bytes, 192 with a time code in front, 204 with parity behind.
    private static func transportStream(_ view: ByteView) -> Reading<String> {
        var isShort = false
        for (start, step) in [(0, 188), (4, 192), (0, 204)] {
            let syncs = (0..<3).map { start + $0 * step }.prefix { $0 < view.count }
            guard syncs.allSatisfy({ view[$0] == 0x47 }) else { continue }
            if syncs.count == 3 { return .found("an MPEG transport stream") }
            if !syncs.isEmpty { isShort = true }
        }
        return isShort ? .needsMore : .none
    }

    /// Three frames of AC-3 or E-AC-3 (ETSI TS 102 366 §4.4.1, §E.1.2).
    ///
    ///     AC-3:   0x0B77 | 16 checksum | 2 sample rate | 6 frame size code | 5 bsid, at most 10 | …
    ///     E-AC-3: 0x0B77 | 2 type | 3 substream | 11 words, less 1 | 2 | 2 | 3 | 1 | 5 bsid, 11 to 16 | …
    private static func dolby(_ view: ByteView) -> Reading<String> {
        var offset = 0
        var name = "AC-3"
        for _ in 0..<3 {
            guard view.count >= offset + 6 else {
                let rest = view.from(offset)
                let mark: [UInt8] = [0x0B, 0x77]
                return rest.count >= 2 && !Self.has(mark, rest, at: 0) ? .none : .needsMore
            }
            guard view.big(offset, UInt16.self) == 0x0B77 else { return .none }
            let version = view[offset + 5] >> 3
            if version > 10 {
                guard version <= 16 else { return .none }
                name = "E-AC-3"
                offset += (Int(view.big(offset + 2, UInt16.self) & 0x7FF) + 1) * 2
            } else {
                let code = Int(view[offset + 4] & 0x3F)
                let rate = Int(view[offset + 4] >> 6)
                guard rate < 3, code < 38 else { return .none }
                let kilobits = Self.dolbyRates[code / 2]
                offset += [kilobits * 4, (kilobits * 320 / 147 + code % 2) * 2, kilobits * 6][rate]
            }
        }
        return .found(name)
    }

    /// kbit/s by half the frame size code.
    private static let dolbyRates = [
        32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640,
    ]

    /// CRI's ADX: `0x8000 | offset of the data, less 4`, with "(c)CRI" at the header's end.
    private static func adx(_ view: ByteView) -> Reading<String> {
        guard view.count >= 4 else { return .none }
        guard view.big(0, UInt16.self) == 0x8000 else { return .none }
        let end = Int(view.big(2, UInt16.self)) + 4
        guard end >= 6, end <= 4096 else { return .none }
        guard view.count >= end else { return .needsMore }
        return view.matches("(c)CRI", at: end - 6) ? .found("CRI ADX") : .none
    }

    /// `FWS`, or packed `CWS`, and a version below 0x20, which no text has.
    private static func flash(_ view: ByteView) -> Reading<String> {
        let isFlash = view.matches("FWS") || view.matches("CWS")
        return isFlash && view.count > 3 && view[3] < 0x20 ? .found("Flash") : .none
    }

    // MARK: Signatures

    private static let marks: [(mark: [UInt8], offset: Int, name: String)] =
        Self.sound + Self.pictures + Self.others

    private static func text(_ text: String, at offset: Int = 0, _ name: String) -> (
        mark: [UInt8], offset: Int, name: String
    ) {
        (Array(text.utf8), offset, name)
    }

    private static let sound: [(mark: [UInt8], offset: Int, name: String)] = [
        Self.text("AIFF", at: 8, "AIFF"), Self.text("AIFC", at: 8, "AIFF-C"),
        Self.text("8SVX", at: 8, "IFF 8SVX"), Self.text("16SV", at: 8, "IFF 16SV"),
        Self.text("XWMA", at: 8, "xWMA"), Self.text("QLCM", at: 8, "QCP"),
        Self.text("caff", "Core Audio Format"), Self.text("wvpk", "WavPack"),
        Self.text("MPCK", "Musepack"), Self.text("MP+", "Musepack"),
        Self.text("MAC ", "Monkey's Audio"), Self.text("TTA1", "True Audio"),
        Self.text("TTA2", "True Audio"), Self.text("tBaK", "TAK"),
        Self.text("OFR ", "OptimFROG"), Self.text("ajkg", "Shorten"), Self.text("TWIN97", "TwinVQ"),
        Self.text("DSD ", "DSD in a DSF file"), Self.text("FRM8", "DSD in a DSDIFF file (DFF)"),
        Self.text("#!AMR", "AMR"), Self.text("#!iLBC", "iLBC"), Self.text("MThd", "MIDI"),
        Self.text("MMMD\0", "SMAF"), Self.text("ea3\u{3}", "ATRAC in an OpenMG file (OMA)"),
        Self.text("EA3\u{1}", "ATRAC in an OpenMG file (OMA)"),
        Self.text("Creative Voice File", "Creative Voice (VOC)"), Self.text(".SoX", "SoX"),
        Self.text("XoS.", "SoX"), Self.text(".snd\0", "an AU file (Sun, NeXT)"),
        Self.text("dns.", "an AU file (Sun, NeXT)"), Self.text("STRM\0", "AST"),
        Self.text("Extended Module: ", "a module (XM)"), Self.text("IMPM", "a module (IT)"),
        ([0x64, 0xA3, 0x01, 0x00], 0, "an IRCAM file"),
        ([0x64, 0xA3, 0x02, 0x00], 0, "an IRCAM file"),
        ([0x64, 0xA3, 0x03, 0x00], 0, "an IRCAM file"),
        ([0x64, 0xA3, 0x04, 0x00], 0, "an IRCAM file"),
        ([0x00, 0x01, 0xA3, 0x64], 0, "an IRCAM file"),
        ([0x00, 0x02, 0xA3, 0x64], 0, "an IRCAM file"),
        ([0x00, 0x03, 0xA3, 0x64], 0, "an IRCAM file"),
        (Array("riff".utf8) + [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6], 0, "Sony Wave64 (W64)"),
        ([0xC0, 0xDE, 0xC2], 0, "Codec 2"),
        ([0x7F, 0xFE, 0x80, 0x01], 0, "DTS"), ([0xFE, 0x7F, 0x01, 0x80], 0, "DTS"),
        ([0x1F, 0xFF, 0xE8, 0x00], 0, "DTS"), ([0xFF, 0x1F, 0x00, 0xE8], 0, "DTS"),
        Self.text("DTSHDHDR", "DTS-HD"), Self.text("ADIF", "AAC in an ADIF file"),
        ([0xF8, 0x72, 0x6F, 0xBA], 4, "Dolby TrueHD"), ([0xF8, 0x72, 0x6F, 0xBB], 4, "MLP"),
        ([0x72, 0xF8, 0x1F, 0x4E], 0, "S/PDIF frames (IEC 61937)"),
        ([0xF8, 0x72, 0x4E, 0x1F], 0, "S/PDIF frames (IEC 61937)"),
    ]

    private static let pictures: [(mark: [UInt8], offset: Int, name: String)] = [
        ([0x1A, 0x45, 0xDF, 0xA3], 0, "Matroska or WebM"),
        ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], 0, "Windows Media (ASF)"),
        Self.text("AVI ", at: 8, "AVI"), Self.text("AMV ", at: 8, "AMV"),
        Self.text("CDXA", at: 8, "a Video CD"),
        Self.text("FLV\u{1}", "Flash Video"),
        Self.text(".RMF", "RealMedia"), Self.text("nut/multimedia container", "NUT"),
        Self.text("DKIF\0", "IVF video"), Self.text("BBCD", "Dirac video"),
        Self.text("FILM\0", "a Sega film"), Self.text("YUV4MPEG2", "YUV4MPEG video"),
        Self.text("\0\nSMJPEG", "SMJPEG video"),
        ([0xB7, 0xD8, 0x00, 0x20, 0x37, 0x49, 0xDA, 0x11], 0, "Windows TV (WTV)"),
        ([0x06, 0x0E, 0x2B, 0x34], 0, "MXF"),
        ([0x00, 0x00, 0x00, 0x00, 0x01, 0xBC], 0, "GXF"),
        ([0x1F, 0x07, 0x00, 0x3F], 0, "DV video"), ([0x1F, 0x07, 0x00, 0xBF], 0, "DV video"),
        ([0x84, 0x10, 0xFF, 0xFF], 0, "RoQ video"),
        ([0x00, 0x00, 0x01, 0xBA], 0, "an MPEG program stream"),
        ([0x00, 0x00, 0x01, 0xB3], 0, "MPEG video"), ([0x00, 0x00, 0x01, 0xB0], 0, "MPEG-4 video"),
        ([0x00, 0x00, 0x00, 0x01, 0x67], 0, "H.264 video"),
        ([0x00, 0x00, 0x00, 0x01, 0x09], 0, "H.264 video"),
        ([0x00, 0x00, 0x00, 0x01, 0x40, 0x01], 0, "HEVC video"),
        ([0x00, 0x00, 0x00, 0x01, 0x46, 0x01], 0, "HEVC video"),
        ([0xFF, 0xD8, 0xFF], 0, "a JPEG picture"), ([0x89, 0x50, 0x4E, 0x47], 0, "a PNG picture"),
        Self.text("GIF8", "a GIF picture"), Self.text("WEBP", at: 8, "a WebP picture"),
        Self.text("\0\0\0\u{C}jP  ", "a JPEG 2000 picture"),
    ]

    private static let others: [(mark: [UInt8], offset: Int, name: String)] = [
        ([0x1F, 0x8B, 0x08], 0, "gzip"), Self.text("PK\u{3}\u{4}", "a ZIP archive"),
        Self.text("Rar!\u{1A}\u{7}", "a RAR archive"), Self.text("%PDF", "PDF"),
        ([0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C], 0, "a 7z archive"),
        ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00], 0, "xz"), ([0x28, 0xB5, 0x2F, 0xFD], 0, "zstd"),
    ]
}
