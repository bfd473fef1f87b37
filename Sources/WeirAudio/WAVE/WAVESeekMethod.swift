// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How times lie in a WAVE file: by arithmetic.
struct WAVESeekMethod: SeekMethod {
    /// Where the samples start.
    let start: Int64
    /// Where they end, if known.
    let end: Int64?
    /// How many bytes one sample of each channel takes.
    let blockSize: Int
    /// How many bytes a packet takes, a multiple of the block size.
    let packetSize: Int

    func search(for time: SampleCount) -> any SeekSearching {
        let perPacket = Int64(self.packetSize / self.blockSize)
        let index = max(0, time.rawValue) / perPacket
        return KnownPoint(point: self.point(of: min(index, self.lastPacket)))
    }

    func time(at offset: Int64) -> SeekPoint? {
        let index = max(0, offset - self.start) / Int64(self.packetSize)
        return self.point(of: min(index, self.lastPacket))
    }

    /// The number of the last packet; as large as a time line allows where the end is not known.
    private var lastPacket: Int64 {
        let bytes = self.end.map { $0 - self.start } ?? (1 << 62) - self.start
        let whole = bytes / Int64(self.blockSize) * Int64(self.blockSize)
        return max(0, (whole - 1) / Int64(self.packetSize))
    }

    private func point(of index: Int64) -> SeekPoint {
        SeekPoint(
            offset: self.start + index * Int64(self.packetSize),
            start: SampleCount(index * Int64(self.packetSize / self.blockSize)),
            precision: .exact
        )
    }
}
