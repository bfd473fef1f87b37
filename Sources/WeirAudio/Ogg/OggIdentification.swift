// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The contents of the first packet of a logical stream.
enum OggIdentification: Hashable, Sendable {
    /// Vorbis I.
    case vorbis(VorbisIdentification)
    /// Opus.
    case opus(OpusHead)
    /// FLAC; its first packet holds STREAMINFO.
    case flac(FLACStreamInfo)

    /// The offset of STREAMINFO in the first packet of FLAC (RFC 9639 §10.1).
    ///
    ///     offset 0   0x7F, "FLAC"
    ///            5   version of the mapping, 1.0      16 bits
    ///            7   how many header packets follow   16   0: unknown; unused: the last is marked
    ///            9   "fLaC"
    ///           13   header of the block              32
    ///           17   STREAMINFO                      272
    private static let streamInfoOffset = 17

    /// Reads the first packet; `nil` if Weir does not play its codec, or if it breaks a rule of the
    /// codec.
    ///
    /// - Parameter view: the packet.
    init?(_ view: ByteView) {
        if let vorbis = VorbisIdentification(view) {
            self = .vorbis(vorbis)
        } else if let opus = OpusHead(view) {
            self = .opus(opus)
        } else if view.count >= Self.streamInfoOffset + FLACStreamInfo.byteCount, view[5] == 1,
            view.matches("\u{7F}FLAC"), view.matches("fLaC", at: 9), view[13] & 0x7F == 0,
            let info = FLACStreamInfo(view[Self.streamInfoOffset..<view.count])
        {
            self = .flac(info)
        } else {
            return nil
        }
    }

    /// The name of a codec that Weir does not play, for the user.
    ///
    /// - Parameter view: the first packet of the stream.
    /// - Returns: the name of the codec, as far as known.
    static func name(_ view: ByteView) -> String {
        let known: [(StaticString, String)] = [
            ("\u{1}vorbis", "damaged Vorbis"), ("OpusHead", "Opus of another version"),
            ("\u{7F}FLAC", "FLAC of another mapping"), ("fLaC", "FLAC of an old mapping"),
            ("Speex   ", "Speex"), ("CELT    ", "CELT"), ("PCM     ", "PCM"),
            ("fishead\0", "Skeleton"),
            ("\u{1}video\0", "OGM video"), ("\u{1}audio\0", "OGM audio"), ("BBCD\0", "Dirac"),
            ("CMML", "CMML"),
            ("OVP80", "VP8"), ("kate", "Kate"),
        ]
        for (pattern, name) in known where view.matches(pattern) { return name }
        // Theora and Kate start with a byte of 0x80, which a literal cannot contain as a single
        // byte.
        if view.count > 0, view[0] == 0x80 {
            if view.matches("theora", at: 1) { return "Theora" }
            if view.matches("kate", at: 1) { return "Kate" }
        }
        return "an unknown codec"
    }
}
