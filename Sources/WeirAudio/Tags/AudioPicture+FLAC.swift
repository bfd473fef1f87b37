// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AudioPicture {
    /// Reads a picture block (RFC 9639 §8.8), without its block header.
    ///
    ///     u32 kind | u32 n, n bytes media type | u32 n, n bytes description, UTF-8
    ///     u32 width | u32 height | u32 bits a pixel | u32 colours | u32 n, n bytes picture
    ///
    /// Width, height and colours are passed over: the picture says them itself. A picture that is longer than the
    /// block is taken as far as it goes, as encoders leave that length wrong where it does not fit 24 bits.
    ///
    /// Fails if it is none.
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

    /// Where the bytes behind a 32 bit length are.
    private static func run(_ view: ByteView, at offset: Int) -> Range<Int>? {
        guard view.count - offset >= 4 else { return nil }
        let length = Int(view.big(offset, UInt32.self))
        guard view.count - offset - 4 >= length else { return nil }
        return offset + 4..<offset + 4 + length
    }
}
