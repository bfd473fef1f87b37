// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The header of a WAV file, of constant length, so that it can be rewritten while the sound grows.
///
///     0   RIFF or RF64, size of the file - 8, WAVE
///     12  JUNK or ds64, 28 bytes: sizes of 64 bits (EBU Tech 3306), if 32 bits are too few
///     48  fmt , 16 or 40 bytes
///     …   data, its size
///
/// More than two channels or 16 bits need the long form (WAVE_FORMAT_EXTENSIBLE), with the
/// positions of the loudspeakers. So do one or two channels for unusual loudspeakers.
struct WAVHeader: Sendable {
    /// The layout of the sound.
    let format: PCMFormat
    /// The stored form of a sample.
    let integers: PCMIntegers

    init(format: PCMFormat) {
        self.format = format
        self.integers = PCMIntegers(significantBits: format.significantBits)
    }

    /// How many bytes a frame has.
    var frameSize: Int { self.integers.bytesPerSample * self.format.channelCount }

    private var isExtensible: Bool {
        self.format.channelCount > 2 || self.integers != .bits16
            || self.format.channelLayout != .standard(self.format.channelCount)
    }

    /// How many bytes the header has.
    var count: Int { 48 + 8 + (self.isExtensible ? 40 : 16) + 8 }

    /// The header of a file.
    ///
    /// - Parameter dataCount: how many bytes of sound follow it.
    /// - Returns: ``count`` bytes.
    func bytes(dataCount: Int64) -> [UInt8] {
        let riffSize = UInt64(self.count - 8) + UInt64(dataCount) + UInt64(dataCount & 1)
        let isLong = riffSize > UInt64(UInt32.max)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(self.count)
        func append(_ letters: String) { bytes.append(contentsOf: letters.utf8) }
        func append(_ value: some FixedWidthInteger) {
            withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
        }
        append(isLong ? "RF64" : "RIFF")
        append(isLong ? UInt32.max : UInt32(riffSize))
        append("WAVE")
        append(isLong ? "ds64" : "JUNK")
        append(UInt32(28))
        append(isLong ? riffSize : 0)
        append(isLong ? UInt64(dataCount) : 0)
        append(isLong ? UInt64(dataCount) / UInt64(self.frameSize) : 0)
        append(UInt32(0))
        append("fmt ")
        append(UInt32(self.isExtensible ? 40 : 16))
        append(UInt16(self.isExtensible ? 0xFFFE : 1))
        append(UInt16(truncatingIfNeeded: self.format.channelCount))
        append(UInt32(truncatingIfNeeded: self.format.sampleRate))
        append(UInt32(truncatingIfNeeded: self.format.sampleRate &* self.frameSize))
        append(UInt16(truncatingIfNeeded: self.frameSize))
        append(UInt16(self.integers.rawValue))
        if self.isExtensible {
            append(UInt16(22))
            append(UInt16(self.integers.rawValue))
            append(self.format.channelLayout.rawValue)
            // KSDATAFORMAT_SUBTYPE_PCM: the number 1, and the bytes with which all these GUIDs end.
            append(UInt16(1))
            bytes.append(contentsOf: [
                0, 0, 0, 0, 0x10, 0, 0x80, 0, 0, 0xAA, 0, 0x38, 0x9B, 0x71,
            ])
        }
        append("data")
        append(isLong ? UInt32.max : UInt32(dataCount))
        return bytes
    }
}
