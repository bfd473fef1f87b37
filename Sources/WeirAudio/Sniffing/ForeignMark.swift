// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Formats that are known by their first bytes and not read here, so that a user can be told what he has.
enum ForeignMark {
    /// How many bytes are looked at.
    static let count = 2 * 188 + 1

    private static let marks: [(mark: [UInt8], offset: Int, name: String)] = [
        ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], 0, "Windows Media (ASF)"),
        ([0x1A, 0x45, 0xDF, 0xA3], 0, "Matroska or WebM"),
        (Array("AIFF".utf8), 8, "AIFF"), (Array("AIFC".utf8), 8, "AIFF-C"),
        (Array("AVI ".utf8), 8, "AVI"), (Array("WEBP".utf8), 8, "a WebP picture"),
        (Array("caff".utf8), 0, "Core Audio Format"), (Array("wvpk".utf8), 0, "WavPack"),
        (Array("MPCK".utf8), 0, "Musepack"), (Array("MP+".utf8), 0, "Musepack"),
        (Array("MAC ".utf8), 0, "Monkey's Audio"), (Array("TTA1".utf8), 0, "True Audio"),
        (Array("#!AMR".utf8), 0, "AMR"), (Array("MThd".utf8), 0, "MIDI"),
        (Array("FLV\u{1}".utf8), 0, "Flash Video"), (Array(".RMF".utf8), 0, "RealMedia"),
        (Array("DSD ".utf8), 0, "DSD"), ([0x0B, 0x77], 0, "AC-3"),
        ([0x7F, 0xFE, 0x80, 0x01], 0, "DTS"),
        ([0x00, 0x00, 0x01, 0xBA], 0, "an MPEG program stream"),
        ([0x1F, 0x8B, 0x08], 0, "gzip"), (Array("PK\u{3}\u{4}".utf8), 0, "a ZIP archive"),
        (Array("%PDF".utf8), 0, "PDF"), ([0xFF, 0xD8, 0xFF], 0, "a JPEG picture"),
        ([0x89, 0x50, 0x4E, 0x47], 0, "a PNG picture"), (Array("GIF8".utf8), 0, "a GIF picture"),
    ]

    /// What the first bytes are of.
    ///
    /// - Parameter view: the front of a stream.
    /// - Returns: a name, with an article where it needs one; `nil` if it is none of these.
    static func name(_ view: ByteView) -> String? {
        // A packet of an MPEG transport stream starts every 188 bytes (ISO 13818-1 §2.4.3.2).
        if view.count >= Self.count, [0, 188, 376].allSatisfy({ view[$0] == 0x47 }) {
            return "an MPEG transport stream"
        }
        return Self.marks.first { mark, offset, _ in
            view.count >= offset + mark.count
                && mark.indices.allSatisfy { view[offset + $0] == mark[$0] }
        }?.name
    }
}
