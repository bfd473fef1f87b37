// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The tracks of a CUESHEET block (RFC 9639 §8.7), as chapters.
///
///     block   catalogue number 1024 | lead-in 64 | CD 1, reserved 2071 | tracks 8 | tracks
///     track   offset in samples 64 | number 8 | ISRC 96 | flags 2, reserved 110 |
///             indices 8 | indices
///     index   offset in samples, from the track's 64 | number 8 | reserved 24
///
/// A chapter starts at index 1 of its track, or at the start of a track without index 1. The
/// lead-out (170 or 255) ends the last chapter.
extension AudioChapter {
    /// Reads the block, without its block header.
    ///
    /// - Parameters:
    ///   - view: the block.
    ///   - sampleRate: samples a second, from 1.
    /// - Returns: the chapters, without titles; `nil` if the block is broken.
    static func chapters(ofCueSheet view: ByteView, sampleRate: Int) -> [AudioChapter]? {
        guard view.count >= 396 else { return nil }
        var position = 396
        var starts: [Int64] = []
        var end: Int64?
        for _ in 0..<Int(view[395]) {
            guard view.count - position >= 36 else { return nil }
            let number = view[position + 8]
            var start = self.milliseconds(view.big(position, UInt64.self), sampleRate)
            let indices = Int(view[position + 35])
            guard view.count - position - 36 >= indices * 12 else { return nil }
            for index in 0..<indices where view[position + 36 + index * 12 + 8] == 1 {
                let offset = view.big(position + 36 + index * 12, UInt64.self)
                let (sum, overflow) = view.big(position, UInt64.self).addingReportingOverflow(
                    offset
                )
                start = overflow ? nil : self.milliseconds(sum, sampleRate)
            }
            position += 36 + indices * 12
            guard let start else { return nil }
            if number == 170 || number == 255 { end = start } else { starts.append(start) }
        }
        return starts.enumerated().map { index, start in
            AudioChapter(
                startMilliseconds: start,
                endMilliseconds: index + 1 < starts.count ? starts[index + 1] : end,
                title: ""
            )
        }
    }

    private static func milliseconds(_ samples: UInt64, _ sampleRate: Int) -> Int64? {
        let (product, overflow) = samples.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : Int64(exactly: product / UInt64(sampleRate))
    }
}

extension AudioPicture {
    /// Reads a picture block (RFC 9639 §8.8), without its block header.
    ///
    ///     u32 kind | u32 n, n bytes media type | u32 n, n bytes description, UTF-8
    ///     u32 width | u32 height | u32 bits a pixel | u32 colours | u32 n, n bytes picture
    ///
    /// Width, height and colours are skipped: the picture's own data state them. If the stated
    /// length of the picture exceeds the block, the picture ends with the block: encoders write a
    /// wrong block length if it does not fit 24 bits.
    ///
    /// Fails if the bytes are not such a block.
    ///
    /// - Parameter view: the block.
    init?(flacBlock view: ByteView) {
        guard view.count >= 8 else { return nil }
        let kind: UInt32 = view.big(0)
        guard let type = Self.run(view, at: 4),
            let text = Self.run(view, at: type.upperBound),
            view.count - text.upperBound >= 20
        else { return nil }
        let start = text.upperBound + 20
        let length = Int(view.big(start - 4, UInt32.self))
        self.init(
            kind: Int(kind),
            mediaType: view[type].latin1Text,
            description: view[text].utf8Text,
            data: view[start..<min(view.count, start + length)].copy
        )
    }

    /// The range of the bytes after a 32 bit length.
    private static func run(_ view: ByteView, at offset: Int) -> Range<Int>? {
        guard view.count - offset >= 4 else { return nil }
        let length = Int(view.big(offset, UInt32.self))
        guard view.count - offset - 4 >= length else { return nil }
        return offset + 4..<offset + 4 + length
    }
}

extension AudioTags {
    /// The loudspeakers in the comment `WAVEFORMATEXTENSIBLE_CHANNEL_MASK` (RFC 9639 §8.6.2).
    ///
    /// - Parameter channelCount: how many channels there are.
    /// - Returns: `nil` if there is no such comment, or its mask does not fit the channels.
    func channelLayout(of channelCount: Int?) -> ChannelLayout? {
        guard let channelCount, let text = self.first("WAVEFORMATEXTENSIBLE_CHANNEL_MASK"),
            text.hasPrefix("0x") || text.hasPrefix("0X"),
            let mask = UInt32(text.dropFirst(2), radix: 16)
        else { return nil }
        return ChannelLayout(mask: mask, channelCount: channelCount)
    }
}
