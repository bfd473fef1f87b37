// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The first bytes of a resource, with reads that are checked against their end.
///
/// Valid for as long as the pointer that it was made of.
struct ByteWindow {
    private let bytes: UnsafeRawBufferPointer

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
    }

    var count: Int { self.bytes.count }

    /// The byte at an offset; `nil` outside the bytes.
    subscript(offset: Int) -> UInt8? {
        offset >= 0 && offset < self.bytes.count ? self.bytes[offset] : nil
    }

    /// Whether the window has all these characters at an offset.
    func has(_ text: StaticString, at offset: Int = 0) -> Bool {
        text.withUTF8Buffer { self.has($0, at: offset) }
    }

    /// Whether the window has all these bytes at an offset.
    func has(_ pattern: some Collection<UInt8>, at offset: Int = 0) -> Bool {
        guard offset >= 0, pattern.count <= self.bytes.count - offset else { return false }
        return self.bytes[offset..<(offset + pattern.count)].elementsEqual(pattern)
    }

    /// Whether the window has these characters at an offset, in any case; the pattern is in lower case.
    func hasAnyCase(_ text: StaticString, at offset: Int) -> Bool {
        text.withUTF8Buffer { pattern in
            guard offset >= 0, pattern.count <= self.bytes.count - offset else { return false }
            return zip(self.bytes[offset...], pattern).allSatisfy { byte, letter in
                let isUpperCase = (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                return (isUpperCase ? byte | 0x20 : byte) == letter
            }
        }
    }

    /// The first offset, from a start on, that has these characters.
    func firstOffset(of text: StaticString, from start: Int) -> Int? {
        guard start >= 0, start < self.count else { return nil }
        return (start..<self.count).first { self.has(text, at: $0) }
    }

    /// An unsigned number of 32 bits, the most significant byte first.
    func bigEndian32(at offset: Int) -> UInt32? {
        guard offset >= 0, offset <= self.bytes.count - 4 else { return nil }
        return UInt32(bigEndian: self.bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    /// The bytes from an offset on; empty if the offset is outside the bytes.
    func dropping(_ count: Int) -> ByteWindow {
        ByteWindow(UnsafeRawBufferPointer(rebasing: self.bytes.dropFirst(max(0, count))))
    }
}

/// The header of an MPEG audio frame (ISO/IEC 11172-3 §2.4.1.3, 13818-3 §2.4.1.3).
///
/// ```
/// 11 sync, all ones | 2 version: 3 = 1, 2 = 2, 0 = 2.5 | 2 layer: 3 = I, 2 = II, 1 = III | 1 no CRC
/// | 4 bit rate: 0 free, 15 bad | 2 sample rate: 3 bad | 1 padding | 1 private | 2 mode | 2 | 4
/// ```
struct MPEGAudioHeader {
    enum Layer: Int {
        case first = 3
        case second = 2
        case third = 1
    }

    let layer: Layer
    /// The length of the whole frame in bytes; `nil` if the bit rate is free, because the header then has no length.
    let frameLength: Int?

    private let word: UInt32

    init?(_ word: UInt32) {
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
