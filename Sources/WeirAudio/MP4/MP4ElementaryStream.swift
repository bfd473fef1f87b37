// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The contents of an `esds` box: nested descriptors (ISO 14496-1 §7.2.6).
///
///     tag (8), length (1 to 4 bytes of 7 bits; the first bit is 1 if another follows), content
///     3 ES_Descriptor     id (16), flags (8), the fields that the flags state, then descriptors
///     4 DecoderConfig     object type (8), stream type (8), buffer (24),
///                         largest and average rate (32 each), then
///     5 DecoderSpecific   for AAC the AudioSpecificConfig
extension MP4Box {
    /// The object type indication, and the configuration of the codec; empty if there is no
    /// configuration.
    ///
    /// Object types: 0x40 AAC, 0x66 to 0x68 AAC of MPEG-2, 0x69 and 0x6B MPEG audio.
    typealias ElementaryStream = (objectType: UInt8, specific: ByteView)

    /// Reads an `esds` box: version and flags, then an ES_Descriptor.
    ///
    /// The result is `nil` if a descriptor does not fit, or has an unexpected tag.
    var elementaryStream: ElementaryStream? {
        guard self.content.count >= 4,
            let stream = Self.descriptor(self.content[4..<self.content.count]),
            stream.tag == 3, stream.content.count >= 3
        else { return nil }
        let flags = stream.content[2]
        var start = 3
        if flags & 0x80 != 0 { start += 2 }
        if flags & 0x40 != 0 {
            guard start < stream.content.count else { return nil }
            start += 1 + Int(stream.content[start])
        }
        if flags & 0x20 != 0 { start += 2 }
        guard start <= stream.content.count,
            let decoder = Self.descriptor(stream.content[start..<stream.content.count]),
            decoder.tag == 4, decoder.content.count >= 13
        else { return nil }
        let rest = decoder.content[13..<decoder.content.count]
        let specific = Self.descriptor(rest).flatMap { $0.tag == 5 ? $0.content : nil }
        return (decoder.content[0], specific ?? rest[0..<0])
    }

    private static func descriptor(_ view: ByteView) -> (tag: UInt8, content: ByteView)? {
        guard view.count >= 2 else { return nil }
        var length = 0
        var position = 1
        for _ in 0..<4 {
            guard position < view.count else { return nil }
            let byte = view[position]
            position += 1
            length = length << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 { break }
        }
        // A length that is too large is cut, as in other readers: some writers count later bytes
        // too.
        let end = min(view.count, position + length)
        return (view[0], view[position..<end])
    }
}
