// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The parts of a frame header that the sniffer needs: container, length, and the bits that frames
/// share.
struct FrameMark: Hashable {
    /// MPEG audio, ADTS or LOAS.
    let container: AudioContainer
    /// How many bytes the frame has, from 1; `nil` in free format.
    let count: Int?
    /// The bits in which the following frames agree.
    let shared: UInt32

    /// How many bytes of a header are needed.
    static let byteCount = 6

    /// Reads a header.
    ///
    ///     MPEG: 11 sync | 2 version | 2 layer (never 0) | 1 protection | 4 bit rate |
    ///           2 sample rate | 1 padding | …
    ///     ADTS: 12 sync | 1 id | 2 layer (always 0) | 1 no CRC | 2 profile | 4 rate | 1 |
    ///           3 channels | 4 | 13 length | …
    ///     LOAS: 11 sync 0x2B7 | 13 length after these three bytes
    ///
    /// Fails if the bytes are not such a header.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - offset: the offset of the header; the view has at least six bytes from there on.
    init?(_ view: ByteView, at offset: Int) {
        let bits: UInt32 = view.big(offset)
        switch bits >> 21 {
        case 0x2B7: self.init(loas: bits)
        case 0x7FF where bits >> 17 & 3 == 0: self.init(adts: bits, view.big(offset + 4))
        case 0x7FF: self.init(mpeg: bits)
        default: return nil
        }
    }

    /// Reads a header of LOAS (ISO 14496-3 §1.7.2, AudioSyncStream).
    private init?(loas bits: UInt32) {
        let length = Int(bits >> 8 & 0x1FFF)
        guard length > 0 else { return nil }
        self.container = .loas
        self.count = 3 + length
        self.shared = 0
    }

    /// Reads a header of ADTS (ISO 13818-7 §6.2.1); fails for a length shorter than the header, and
    /// for rates 13 to 15.
    private init?(adts bits: UInt32, _ more: UInt16) {
        let length = Int(bits & 3) << 11 | Int(more >> 5)
        let isPlain = bits >> 16 & 1 == 1
        guard bits >> 20 == 0xFFF, bits >> 10 & 15 < 13, length > (isPlain ? 7 : 9) else {
            return nil
        }
        self.container = .adts
        self.count = length
        // Sync, id, layer, protection, profile, rate.
        self.shared = bits & 0xFFFF_FC00
    }

    private init?(mpeg bits: UInt32) {
        guard let header = MPEGAudioHeader(bits) else { return nil }
        self.container = .mpegAudio
        self.count = header.frameLength
        // Sync, version, layer, rate, and whether the frame is in free format.
        self.shared = bits & 0xFFFE_0C00 | (header.frameLength == nil ? 1 : 0)
    }

    /// Whether the other header may belong to the same stream.
    func agrees(with other: FrameMark) -> Bool {
        self.container == other.container && self.shared == other.shared
    }
}
