// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the tags begin that stand between the frames of a stream.
enum TagMark {
    /// How many bytes are looked at.
    static let byteCount = 4

    /// Whether a tag seems to start at an offset with four bytes behind it: its three or four letters are there.
    ///
    /// ID3v2 (`ID3`, and a version that is used), ID3v1 (`TAG`), APE (`APETAGEX`), Lyrics3 (`LYRICSBEGIN`).
    static func stands(in view: ByteView, at offset: Int) -> Bool {
        switch view[offset] {
        case UInt8(ascii: "I"):
            view.matches("ID3", at: offset) && (2...4).contains(view[offset + 3])
        case UInt8(ascii: "T"): view.matches("TAG", at: offset)
        case UInt8(ascii: "A"): view.matches("APET", at: offset)
        case UInt8(ascii: "L"): view.matches("LYRI", at: offset)
        default: false
        }
    }
}
