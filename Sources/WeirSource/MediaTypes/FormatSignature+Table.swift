// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FormatSignature {
    /// All signatures.
    static let all: [FormatSignature] =
        Self.containers + Self.riff + Self.sound + Self.video + Self.others

    /// Containers, whose type depends on their contents: Ogg, ISO base media, Matroska.
    ///
    /// The types `free`, `skip`, `wide` and `pnot` are words, which a text may also contain. So the
    /// size of these boxes must be below 2²⁴: its first byte is 0, and the first byte of a text is
    /// not.
    private static let containers: [FormatSignature] = [
        Self("Ogg", .ogg, "OggS"),
        Self("MP4", .mp4Video, .at(4, "ftyp")),
        Self("MP4", .mp4Video, .at(4, "styp")),
        Self("MP4", .mp4Video, .at(4, "moof")),
        Self("MP4", .mp4Video, .at(4, "sidx")),
        Self("MP4", .mp4Video, .at(4, "emsg")),
        Self("MP4 or QuickTime", .quickTime, .at(4, "moov")),
        Self("MP4 or QuickTime", .quickTime, .at(4, "mdat")),
        Self("MP4 or QuickTime", .quickTime, [0], .at(4, "free")),
        Self("MP4 or QuickTime", .quickTime, [0], .at(4, "skip")),
        Self("MP4 or QuickTime", .quickTime, [0], .at(4, "wide")),
        Self("MP4 or QuickTime", .quickTime, [0], .at(4, "pnot")),
        Self("Matroska or WebM", .matroskaVideo, [0x1A, 0x45, 0xDF, 0xA3]),
    ]

    /// RIFF and its variants for other byte orders and large files: four letters, a length, and the
    /// form.
    private static let riff: [FormatSignature] = (["RIFF", "RIFX", "RF64", "BW64"] as [Mark])
        .flatMap {
            [
                Self("WAVE", .wav, $0, .at(8, "WAVE")),
                Self("AVI", .avi, $0, .at(8, "AVI ")),
                Self("MIDI", .midi, $0, .at(8, "RMID")),
                Self("a WebP picture", .webP, $0, .at(8, "WEBP")),
                Self("a Video CD", .mpegVideo, $0, .at(8, "CDXA")),
                Self("AMV", nil, $0, .at(8, "AMV ")),
                Self("xWMA", nil, $0, .at(8, "XWMA")),
                Self("QCP", nil, $0, .at(8, "QLCM")),
            ]
        }

    private static let sound: [FormatSignature] = [
        Self("FLAC", .flac, "fLaC"),
        // Interchange File Format: `FORM`, a length, and the form; DSDIFF has lengths of 64 bits.
        Self("AIFF", .aiff, "FORM", .at(8, "AIFF")),
        Self("AIFF-C", .aiff, "FORM", .at(8, "AIFC")),
        Self("IFF 8SVX", nil, "FORM", .at(8, "8SVX")),
        Self("IFF 16SV", nil, "FORM", .at(8, "16SV")),
        Self("DSD in a DSDIFF file (DFF)", .dsdiff, "FRM8", .at(12, "DSD ")),
        Self("DSD in a DSF file", .dsf, "DSD \u{1C}\0\0\0"),
        Self("Core Audio Format", .caf, "caff\0\u{1}"),
        Self("WavPack", .wavPack, "wvpk"),
        Self("Musepack", .musepack, "MPCK"),
        // Musepack SV7: the version is the low half of the byte behind the letters.
        Self("Musepack", .musepack, "MP+", .at(3, [7], mask: 0x0F)),
        Self("Monkey's Audio", .monkeysAudio, "MAC "),
        Self("True Audio", .trueAudio, "TTA1"),
        Self("True Audio", nil, "TTA2"),
        Self("TAK", nil, "tBaK"),
        Self("OptimFROG", nil, "OFR "),
        Self("Shorten", nil, "ajkg"),
        Self("TwinVQ", nil, "TWIN97"),
        Self("AMR", .amr, "#!AMR\n"),
        Self("AMR", .amrWideBand, "#!AMR-WB\n"),
        Self("AMR", nil, "#!AMR_MC"),
        Self("AMR", nil, "#!AMR-WB_MC"),
        Self("iLBC", nil, "#!iLBC"),
        Self("MIDI", .midi, "MThd\0\0\0\u{6}"),
        Self("SMAF", nil, "MMMD\0"),
        Self("ATRAC in an OpenMG file (OMA)", nil, "ea3\u{3}"),
        Self("ATRAC in an OpenMG file (OMA)", nil, "EA3\u{1}"),
        Self("Creative Voice (VOC)", nil, "Creative Voice File"),
        Self("SoX", nil, ".SoX"),
        Self("SoX", nil, "XoS."),
        Self("an AU file (Sun, NeXT)", .basicAudio, ".snd\0\0"),
        Self("an AU file (Sun, NeXT)", nil, "dns."),
        Self("AST", nil, "STRM\0"),
        Self("a module (XM)", nil, "Extended Module: "),
        Self("a module (IT)", nil, "IMPM"),
        Self("an IRCAM file", nil, [0x64, 0xA3, 0x01, 0x00]),
        Self("an IRCAM file", nil, [0x64, 0xA3, 0x02, 0x00]),
        Self("an IRCAM file", nil, [0x64, 0xA3, 0x03, 0x00]),
        Self("an IRCAM file", nil, [0x64, 0xA3, 0x04, 0x00]),
        Self("an IRCAM file", nil, [0x00, 0x01, 0xA3, 0x64]),
        Self("an IRCAM file", nil, [0x00, 0x02, 0xA3, 0x64]),
        Self("an IRCAM file", nil, [0x00, 0x03, 0xA3, 0x64]),
        Self("Sony Wave64 (W64)", nil, "riff", .at(4, [0x2E, 0x91, 0xCF, 0x11, 0xA5, 0xD6])),
        Self("Codec 2", nil, [0xC0, 0xDE, 0xC2]),
        // The synchronization word in 16 and in 14 bits, each in both orders of bytes.
        Self("DTS", .dts, [0x7F, 0xFE, 0x80, 0x01]),
        Self("DTS", .dts, [0xFE, 0x7F, 0x01, 0x80]),
        Self("DTS", .dts, [0x1F, 0xFF, 0xE8, 0x00]),
        Self("DTS", .dts, [0xFF, 0x1F, 0x00, 0xE8]),
        Self("DTS-HD", nil, "DTSHDHDR"),
        Self("AAC in an ADIF file", nil, "ADIF"),
        Self("Dolby TrueHD", nil, .at(4, [0xF8, 0x72, 0x6F, 0xBA])),
        Self("MLP", nil, .at(4, [0xF8, 0x72, 0x6F, 0xBB])),
        Self("S/PDIF frames (IEC 61937)", nil, [0x72, 0xF8, 0x1F, 0x4E]),
        Self("S/PDIF frames (IEC 61937)", nil, [0xF8, 0x72, 0x4E, 0x1F]),
    ]

    private static let video: [FormatSignature] = [
        // The header object of ASF: its GUID, as stored.
        Self(
            "Windows Media (ASF)",
            .asf,
            [0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11],
            .at(8, [0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62, 0xCE, 0x6C])
        ),
        // Version 1; of the flags, only audio (4) and video (1) are allowed.
        Self("Flash Video", .flashVideo, "FLV\u{1}", .at(4, [0], mask: 0xFA)),
        // Plain and packed; a version below 0x20, which no text has.
        Self("Flash", nil, "FWS", .at(3, [0], mask: 0xE0)),
        Self("Flash", nil, "CWS", .at(3, [0], mask: 0xE0)),
        Self("RealMedia", .realMedia, ".RMF\0\0"),
        Self("NUT", nil, "nut/multimedia container"),
        Self("IVF video", nil, "DKIF\0"),
        Self("Dirac video", nil, "BBCD"),
        Self("a Sega film", nil, "FILM\0"),
        Self("YUV4MPEG video", nil, "YUV4MPEG2"),
        Self("SMJPEG video", nil, "\0\nSMJPEG"),
        Self("Windows TV (WTV)", nil, [0xB7, 0xD8, 0x00, 0x20, 0x37, 0x49, 0xDA, 0x11]),
        Self("MXF", nil, [0x06, 0x0E, 0x2B, 0x34]),
        Self("GXF", nil, [0x00, 0x00, 0x00, 0x00, 0x01, 0xBC]),
        Self("DV video", nil, [0x1F, 0x07, 0x00, 0x3F]),
        Self("DV video", nil, [0x1F, 0x07, 0x00, 0xBF]),
        Self("RoQ video", nil, [0x84, 0x10, 0xFF, 0xFF]),
        // Three packets (ISO/IEC 13818-1 §2.4.3) of 188 bytes; with a time code of 4 bytes before
        // each (M2TS); with 16 bytes of parity after each.
        Self(
            "an MPEG transport stream",
            .mpegTransportStream,
            [0x47],
            .at(188, [0x47]),
            .at(376, [0x47])
        ),
        Self(
            "an MPEG transport stream",
            .mpegTransportStream,
            .at(4, [0x47]),
            .at(196, [0x47]),
            .at(388, [0x47])
        ),
        Self(
            "an MPEG transport stream",
            .mpegTransportStream,
            [0x47],
            .at(204, [0x47]),
            .at(408, [0x47])
        ),
        // A pack header (ISO/IEC 13818-1 §2.5.3); the following bits distinguish MPEG-2 (01) from
        // MPEG-1 (0010).
        Self(
            "an MPEG program stream",
            .mpegVideo,
            [0x00, 0x00, 0x01, 0xBA],
            .at(4, [0x40], mask: 0xC0)
        ),
        Self(
            "an MPEG program stream",
            .mpegVideo,
            [0x00, 0x00, 0x01, 0xBA],
            .at(4, [0x20], mask: 0xF0)
        ),
        // A sequence header (ISO/IEC 13818-2 §6.2.2).
        Self("MPEG video", .mpegVideo, [0x00, 0x00, 0x01, 0xB3]),
        Self("MPEG-4 video", nil, [0x00, 0x00, 0x01, 0xB0]),
        Self("H.264 video", nil, [0x00, 0x00, 0x00, 0x01, 0x67]),
        Self("H.264 video", nil, [0x00, 0x00, 0x00, 0x01, 0x09]),
        Self("HEVC video", nil, [0x00, 0x00, 0x00, 0x01, 0x40, 0x01]),
        Self("HEVC video", nil, [0x00, 0x00, 0x00, 0x01, 0x46, 0x01]),
    ]

    /// Formats that are not sound or video but often come in their place.
    private static let others: [FormatSignature] = [
        Self("a JPEG picture", .jpeg, [0xFF, 0xD8, 0xFF]),
        Self("a PNG picture", .png, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]),
        Self("a GIF picture", .gif, "GIF87a"),
        Self("a GIF picture", .gif, "GIF89a"),
        Self("a JPEG 2000 picture", nil, "\0\0\0\u{C}jP  "),
        Self("PDF", .pdf, "%PDF-"),
        Self("gzip", .gzip, [0x1F, 0x8B, 0x08]),
        Self("a ZIP archive", .zip, "PK\u{3}\u{4}"),
        Self("a RAR archive", nil, "Rar!\u{1A}\u{7}"),
        Self("a 7z archive", nil, [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        Self("xz", nil, [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]),
        Self("zstd", nil, [0x28, 0xB5, 0x2F, 0xFD]),
    ]
}
