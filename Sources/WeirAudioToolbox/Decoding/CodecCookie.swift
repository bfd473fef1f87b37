// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The configuration that Apple's decoders need before the first packet, made from the stream's own.
///
/// The form of a cookie is not documented for every codec. If two forms are known to work, the result has both, the
/// better one first.
enum CodecCookie {
    /// The cookies to try, in order.
    ///
    /// - Parameter format: the stream; its configuration is as described in ``AudioFormat``.
    /// - Returns: no cookies if the codec needs none, or if the stream has no data for one.
    static func candidates(for format: AudioFormat) -> [[UInt8]] {
        let bytes = format.configuration
        guard !bytes.isEmpty else { return [] }
        return switch format.codec {
        case .aac: [Self.elementaryStream(bytes), bytes].compactMap { $0 }
        case .alac: [bytes]
        case .flac: Self.flac(bytes)
        case .opus: [Self.opus(bytes)].compactMap { $0 }
        default: []
        }
    }

    /// Whether a decoder of the codec cannot work without a cookie.
    static func isNeeded(for codec: AudioCodec) -> Bool {
        switch codec {
        case .alac, .opus: true
        default: false
        }
    }

    /// An elementary stream descriptor around an AudioSpecificConfig (ISO 14496-1 §7.2.6.5).
    ///
    ///     03 length  ES_ID 16, flags 8
    ///     04 length  objectType 8 = 0x40, streamType 6 = 5, up 1, reserved 1,
    ///                buffer 24, largest and mean bit rate 32 + 32
    ///     05 length  the AudioSpecificConfig
    ///     06 1       02
    ///
    /// - Parameter specific: the AudioSpecificConfig.
    /// - Returns: the descriptor; `nil` if the configuration is longer than any valid one.
    static func elementaryStream(_ specific: [UInt8]) -> [UInt8]? {
        guard specific.count <= 0xFFFF else { return nil }
        let decoder = [0x40, 0x15] + [UInt8](repeating: 0, count: 11) + Self.tagged(5, specific)
        return Self.tagged(3, [0, 0, 0] + Self.tagged(4, decoder) + Self.tagged(6, [2]))
    }

    /// A descriptor: its tag, and its length in four bytes of seven bits.
    private static func tagged(_ tag: UInt8, _ body: [UInt8]) -> [UInt8] {
        let length = (0..<4).map { index -> UInt8 in
            let bits = UInt8(truncatingIfNeeded: body.count >> (7 * (3 - index))) & 0x7F
            return index == 3 ? bits : bits | 0x80
        }
        return [tag] + length + body
    }

    /// STREAMINFO as a box `dfLa`, as MP4 stores it, and as the start of a FLAC file.
    private static func flac(_ info: [UInt8]) -> [[UInt8]] {
        guard info.count == 34 else { return [] }
        let block: [UInt8] = [0x80, 0, 0, 34] + info
        let box = [0, 0, 0, UInt8(12 + block.count)] + Array("dfLa".utf8) + [0, 0, 0, 0] + block
        return [box, Array("fLaC".utf8) + block]
    }

    /// The identification header without pre-skip and gain.
    ///
    /// The player applies both, and they must not be applied twice.
    private static func opus(_ head: [UInt8]) -> [UInt8]? {
        guard head.count >= 19, head.starts(with: Array("OpusHead".utf8)) else { return nil }
        var head = head
        head.replaceSubrange(10..<12, with: [0, 0])
        head.replaceSubrange(16..<18, with: [0, 0])
        return head
    }
}
