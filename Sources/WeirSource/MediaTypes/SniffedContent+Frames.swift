// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension SniffedContent {
    /// MPEG audio, ADTS, AC-3 and E-AC-3: only the synchronization words of their frames identify
    /// these formats.
    static func audioFrames(_ bytes: FirstBytes) -> SniffedContent? {
        if let dolby = Self.dolby(bytes) { return dolby }
        guard let word = bytes.bigEndian32(at: 0) else { return nil }
        if let header = MPEGAudioHeader(word) {
            return Self.agrees(header, bytes) ? SniffedContent(.mpegAudio) : nil
        }
        if let length = Self.adtsFrameLength(bytes, at: 0) {
            let next = bytes.dropping(length)
            // The fixed header of the next frame must be the same, except for its private, original
            // and home bits.
            guard let nextWord = next.bigEndian32(at: 0) else { return SniffedContent(.aac) }
            return (word ^ nextWord) & 0xFFFF_FFC0 & ~0x0000_0200 == 0 ? SniffedContent(.aac) : nil
        }
        return nil
    }

    /// AC-3 and E-AC-3 (ETSI TS 102 366 §4.4.1, §E.1.2), whose frames are too long to look for a
    /// second one.
    ///
    /// ```
    /// 0x0B77 | AC-3: 16 checksum | 2 sample rate, below 3 | 6 frame size, below 38
    ///          | 5 bsid: 8 or, for the alternate syntax, 6 | …
    ///          E-AC-3: 2 type | 3 substream | 11 size | 8 | 5 bsid: 16 | …
    /// ```
    private static func dolby(_ bytes: FirstBytes) -> SniffedContent? {
        guard bytes.has([0x0B, 0x77]), let rates = bytes[4], let version = bytes[5] else {
            return nil
        }
        if version >> 3 == 16 { return SniffedContent(.enhancedAC3) }
        let isKnown = version >> 3 == 8 || version >> 3 == 6
        return isKnown && rates >> 6 < 3 && rates & 0x3F < 38 ? SniffedContent(.ac3) : nil
    }

    /// Whether the next header, if the bytes reach it, belongs to the same stream.
    private static func agrees(_ header: MPEGAudioHeader, _ bytes: FirstBytes) -> Bool {
        if let length = header.frameLength {
            guard let next = bytes.bigEndian32(at: length) else {
                // A UTF-16 text also begins with FF FE, its byte order mark: Layer I must be
                // confirmed.
                return header.layer != .first
            }
            return header.continues(in: next)
        }
        // A free bit rate gives no length: look for the next header in all bytes.
        return (24..<max(24, bytes.count)).contains { offset in
            bytes[offset] == 0xFF && bytes.bigEndian32(at: offset).map(header.continues) == true
        }
    }

    /// The length of an ADTS frame with its header (ISO/IEC 14496-3 §1.A.2).
    ///
    /// ```
    /// 12 sync FFF | 1 version | 2 layer 0 | 1 no CRC | 2 profile | 4 rate, below 13 | 1 private
    /// | 3 channels | 4 | 13 frame length | 11 fullness | 2 blocks
    /// ```
    private static func adtsFrameLength(_ bytes: FirstBytes, at offset: Int) -> Int? {
        guard let word = bytes.bigEndian32(at: offset), word >> 16 & 0xFFF6 == 0xFFF0,
            word >> 10 & 0xF < 13, let fourth = bytes[offset + 4], let fifth = bytes[offset + 5]
        else { return nil }
        let length = Int(word & 0x3) << 11 | Int(fourth) << 3 | Int(fifth) >> 5
        let headerLength = word & 0x0001_0000 != 0 ? 7 : 9
        return length > headerLength ? length : nil
    }
}

/// The header of an MPEG audio frame (ISO/IEC 11172-3 §2.4.1.3, 13818-3 §2.4.1.3).
///
/// ```
/// 11 sync, all ones | 2 version: 3 = 1, 2 = 2, 0 = 2.5 | 2 layer: 3 = I, 2 = II, 1 = III
/// | 1 no CRC | 4 bit rate: 0 free, 15 bad | 2 sample rate: 3 bad | 1 padding | 1 private
/// | 2 mode | 2 | 4
/// ```
package struct MPEGAudioHeader {
    enum Layer: Int {
        case first = 3
        case second = 2
        case third = 1
    }

    let layer: Layer
    /// The length of the whole frame in bytes; `nil` if the bit rate is free, because the header
    /// then has no length.
    package let frameLength: Int?

    private let word: UInt32

    package init?(_ word: UInt32) {
        let version = Int(word >> 19 & 0x3)
        let bitRateIndex = Int(word >> 12 & 0xF)
        let rateIndex = Int(word >> 10 & 0x3)
        guard word >> 21 == 0x7FF, version != 1, let layer = Layer(rawValue: Int(word >> 17 & 0x3)),
            bitRateIndex != 15, rateIndex != 3
        else { return nil }
        self.word = word
        self.layer = layer
        guard bitRateIndex != 0 else {
            self.frameLength = nil
            return
        }
        let isFirstVersion = version == 3
        let divisor = isFirstVersion ? 1 : version == 2 ? 2 : 4
        let sampleRate = [44_100, 48_000, 32_000][rateIndex] / divisor
        let bitRate = Self.bitRates(isFirstVersion, layer)[bitRateIndex - 1] * 1_000
        let padding = Int(word >> 9 & 0x1)
        switch layer {
        case .first: self.frameLength = (12 * bitRate / sampleRate + padding) * 4
        case .second: self.frameLength = 144 * bitRate / sampleRate + padding
        case .third:
            self.frameLength = (isFirstVersion ? 144 : 72) * bitRate / sampleRate + padding
        }
    }

    /// Whether another header is valid and has the same version, layer, rate and kind of bit rate.
    func continues(in word: UInt32) -> Bool {
        guard let next = MPEGAudioHeader(word) else { return false }
        return (self.word ^ word) & 0xFFFE_0C00 == 0
            && (self.frameLength == nil) == (next.frameLength == nil)
    }

    /// kbit/s for the indices 1 to 14.
    private static func bitRates(_ isFirstVersion: Bool, _ layer: Layer) -> [Int] {
        switch (isFirstVersion, layer) {
        case (true, .first):
            [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448]
        case (true, .second):
            [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
        case (true, .third):
            [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
        case (false, .first):
            [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256]
        case (false, .second), (false, .third):
            [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
        }
    }
}
