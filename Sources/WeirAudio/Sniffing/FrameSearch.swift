// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Looks for frames that agree: the first chain of enough of them tells what the stream is.
struct FrameSearch {
    /// A number of frames in a row that agree.
    typealias Chain = (container: AudioContainer, count: Int)

    /// How many frames agree before they are believed.
    ///
    /// A header of MPEG audio or ADTS comes by chance once in some thousand random bytes, and two more that agree in
    /// some 17 bits, at the right distances, once in 10¹³. LOAS has 11 bits only: once in 10¹⁰.
    static let enough = 3
    /// The longest frame of free format that is looked for.
    private static let freeFrameLimit = 4608

    let view: ByteView
    /// Whether the stream ends with the view.
    let isAtEnd: Bool
    /// Whether a chain that would need more bytes is given up.
    let isLast: Bool

    init(_ view: ByteView, isAtEnd: Bool, isLast: Bool) {
        self.view = view
        self.isAtEnd = isAtEnd
        self.isLast = isLast
    }

    /// Goes from byte to byte.
    ///
    /// - Parameter limit: before which byte a chain must start.
    /// - Returns: the first chain, or that there is none yet, or none at all.
    func run(limit: Int) -> Reading<Chain> {
        var freeSearches = 0
        var start = 0
        while start < min(limit, self.view.count) {
            defer { start += 1 }
            guard self.view[start] == 0xFF || self.view[start] == 0x56 else { continue }
            guard start + FrameMark.byteCount <= self.view.count else {
                if self.isLast { continue }
                return .needsMore
            }
            guard let mark = FrameMark(self.view, at: start) else { continue }
            let outcome: Reading<Chain>
            if mark.count == nil {
                // Each of these looks at some thousand bytes.
                freeSearches += 1
                outcome = freeSearches > 64 ? .none : self.freeChain(from: start, mark)
            } else {
                outcome = self.chain(from: start, mark)
            }
            switch outcome {
            case .found: return outcome
            case .needsMore where !self.isLast: return outcome
            default: continue
            }
        }
        return self.isLast || self.view.count >= limit ? .none : .needsMore
    }

    /// Follows the lengths of frames.
    private func chain(from start: Int, _ first: FrameMark) -> Reading<Chain> {
        var mark = first
        var offset = start
        var agreeing = 1
        while agreeing < Self.enough {
            guard let count = mark.count else { return .none }
            offset += count
            guard offset + FrameMark.byteCount <= self.view.count else {
                guard self.isAtEnd else { return .needsMore }
                // The stream ends with this frame, or in it, and all frames agree that there are; one alone is
                // believed only at the very front.
                let whole = offset <= self.view.count ? agreeing : agreeing - 1
                return whole > (start == 0 ? 0 : 1) ? .found((first.container, whole)) : .none
            }
            guard let next = FrameMark(self.view, at: offset), next.agrees(with: first) else {
                let isTrailed = self.isAtEnd && start == 0 && Self.isTrailer(self.view.from(offset))
                return isTrailed ? .found((first.container, agreeing)) : .none
            }
            mark = next
            agreeing += 1
        }
        return .found((first.container, agreeing))
    }

    /// Looks for two further headers at equal distances, but for a slot of padding.
    private func freeChain(from start: Int, _ first: FrameMark) -> Reading<Chain> {
        let limit = min(Self.freeFrameLimit, self.view.count - start - FrameMark.byteCount)
        var distance = 24
        while distance <= limit {
            defer { distance += 1 }
            guard self.view[start + distance] == 0xFF, self.isLike(first, start + distance) else {
                continue
            }
            let second = start + 2 * distance
            for shift in [0, 1, -1, 4, -4] where self.isLike(first, second + shift) {
                return .found((first.container, Self.enough))
            }
        }
        let isShort = self.view.count - start < 2 * Self.freeFrameLimit + 16
        return isShort && !self.isAtEnd ? .needsMore : .none
    }

    private func isLike(_ first: FrameMark, _ offset: Int) -> Bool {
        guard offset + FrameMark.byteCount <= self.view.count else { return false }
        return FrameMark(self.view, at: offset)?.agrees(with: first) == true
    }

    /// Whether what follows the last frame is a tag.
    private static func isTrailer(_ view: ByteView) -> Bool {
        view.matches("TAG") || view.matches("APETAGEX") || view.matches("LYRICSBEGIN")
            || view.matches("ID3")
    }
}

/// As much of the header of a frame as finding out takes: what it is, how long, and what following ones share.
struct FrameMark: Hashable {
    /// MPEG audio, ADTS or LOAS.
    let container: AudioContainer
    /// How many bytes it is long, from 1; `nil` in free format.
    let count: Int?
    /// The bits in which the following frames agree.
    let shared: UInt32

    /// How many bytes are needed to read one.
    static let byteCount = 6

    /// Reads a header.
    ///
    ///     MPEG: 11 sync | 2 version | 2 layer (never 0) | 1 protection | 4 bit rate | 2 sample rate | 1 padding | …
    ///     ADTS: 12 sync | 1 id | 2 layer (always 0) | 1 no CRC | 2 profile | 4 rate | 1 | 3 channels | 4 |
    ///           13 length | …
    ///     LOAS: 11 sync 0x2B7 | 13 length behind these three bytes
    ///
    /// Fails if it is none.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - offset: where it starts; at least six bytes are there.
    init?(_ view: ByteView, at offset: Int) {
        let bits: UInt32 = view.big(offset)
        switch bits >> 21 {
        case 0x2B7: self.init(loas: bits)
        case 0x7FF where bits >> 17 & 3 == 0: self.init(adts: bits, view.big(offset + 4))
        case 0x7FF: self.init(mpeg: bits)
        default: return nil
        }
    }

    /// ISO 14496-3 §1.7.2, AudioSyncStream.
    private init?(loas bits: UInt32) {
        let length = Int(bits >> 8 & 0x1FFF)
        guard length > 0 else { return nil }
        self.container = .loas
        self.count = 3 + length
        self.shared = 0
    }

    /// ISO 13818-7 §6.2.1: a length of less than the header, and rates 13 to 15, do not occur.
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

    /// ISO 11172-3 §2.4.1.3, ISO 13818-3 §2.4.2.3.
    private init?(mpeg bits: UInt32) {
        let version = bits >> 19 & 3
        let layer = 4 - Int(bits >> 17 & 3)
        let rateIndex = Int(bits >> 10 & 3)
        let bitRateIndex = Int(bits >> 12 & 15)
        guard version != 1, rateIndex < 3, bitRateIndex < 15 else { return nil }
        self.container = .mpegAudio
        // Sync, version, layer, rate, and whether it is free format.
        self.shared = bits & 0xFFFE_0C00 | (bitRateIndex == 0 ? 1 : 0)
        guard bitRateIndex > 0 else {
            self.count = nil
            return
        }
        let isFirst = version == 3
        let rate = [44_100, 48_000, 32_000][rateIndex] / (isFirst ? 1 : version == 2 ? 2 : 4)
        let bitRate =
            MPEGFrameHeader.kilobits(bitRateIndex, layer: layer, isMPEG1: isFirst) * 1000
        let padding = Int(bits >> 9 & 1)
        self.count =
            layer == 1
            ? (12 * bitRate / rate + padding) * 4
            : (layer == 3 && !isFirst ? 72 : 144) * bitRate / rate + padding
    }

    /// Whether another header may be of the same stream.
    func agrees(with other: FrameMark) -> Bool {
        self.container == other.container && self.shared == other.shared
    }
}
