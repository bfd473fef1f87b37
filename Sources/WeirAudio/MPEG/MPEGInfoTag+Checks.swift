// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MPEGInfoTag {
    /// Drops what contradicts itself or the stream.
    ///
    /// - Parameters:
    ///   - header: of the frame that holds the tag.
    ///   - available: how many bytes the stream has from that frame on, if known.
    /// - Returns: whether anything did.
    mutating func doubt(_ header: MPEGFrameHeader, available: Int64?) -> Bool {
        var isDoubtful = false
        let largest = Int64(MPEGFrameHeader.largestFreeFrame)
        if let bytes = self.byteCount, let available {
            // More than there is: cut short. Much more behind it than tags take: something was appended. Either way
            // count and duration are of something else, while the table holds for the bytes that it speaks of.
            let surplus = available - bytes
            if surplus < -largest || (surplus > available / 16 && surplus > 256 << 10) {
                self.isFrameCountBelieved = false
                isDoubtful = true
            }
        }
        if let frames = self.frameCount, let bytes = self.byteCount ?? available {
            // No frame is longer, or shorter than at the lowest bit rate: 8 kbit/s, in MPEG-1 32.
            let bits: Int64 = header.isMPEG1 ? 32_000 : 8000
            let smallest = Int64(header.sampleCount / 8) * bits / Int64(header.sampleRate)
            if frames > bytes / smallest + 1
                || (self.byteCount != nil && frames * largest < bytes / 2)
            {
                self.frameCount = nil
                isDoubtful = true
            }
        }
        if !self.hasSoundTable {
            self.table = []
            isDoubtful = true
        }
        return isDoubtful
    }

    /// Whether the places in the table go forwards, and not past the end.
    private var hasSoundTable: Bool {
        for (former, latter) in zip(self.table, self.table.dropFirst()) where latter < former {
            return false
        }
        guard self.kind == .vbri, let last = self.table.last, let bytes = self.byteCount else {
            return true
        }
        return last <= bytes
    }
}
