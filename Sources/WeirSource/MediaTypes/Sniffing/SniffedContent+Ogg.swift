// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
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
                // All streams have begun, and none of them showed pictures.
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
