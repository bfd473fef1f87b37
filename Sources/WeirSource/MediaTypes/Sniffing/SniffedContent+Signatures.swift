// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// Formats that a few fixed bytes at the start identify beyond doubt.
    static func signature(_ window: ByteWindow) -> SniffedContent? {
        if let known = Self.signatures.first(where: { window.has($0.bytes) }) {
            return SniffedContent(undecided: known.type)
        }
        // Musepack SV7: `MP+`, the version in the low half of the next byte.
        if window.has("MP+"), let version = window[3], version & 0x0F == 7 {
            return SniffedContent(.musepack)
        }
        // Flash Video: version 1, flags of which only audio (4) and video (1) are allowed.
        if window.has("FLV\u{1}"), let flags = window[4], flags & 0xFA == 0 {
            return SniffedContent(.flashVideo)
        }
        // Interchange File Format: `FORM`, a length, and the form; DSDIFF has lengths of 64 bits.
        if window.has("FORM"), window.has("AIFF", at: 8) || window.has("AIFC", at: 8) {
            return SniffedContent(.aiff)
        }
        if window.has("FRM8"), window.has("DSD ", at: 12) { return SniffedContent(.dsdiff) }
        return nil
    }

    /// RIFF and its big brothers: four letters, a length, and the form.
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
        // The header object of ASF: its GUID, as stored.
        (
            [
                0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11, 0xA6, 0xD9, 0x00, 0xAA, 0x00, 0x62,
                0xCE, 0x6C,
            ], .asf
        ),
        // What is not media but often comes in its place.
        ([0x89] + Array("PNG\r\n".utf8) + [0x1A, 0x0A], .png),
        ([0xFF, 0xD8, 0xFF], .jpeg),
        (Array("GIF87a".utf8), .gif),
        (Array("GIF89a".utf8), .gif),
        (Array("%PDF-".utf8), .pdf),
        (Array("PK\u{3}\u{4}".utf8), .zip),
        ([0x1F, 0x8B, 0x08], .gzip),
    ]
}
