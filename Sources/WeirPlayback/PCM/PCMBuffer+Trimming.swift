// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio

extension PCMBuffer {
    /// Drops frames at both ends; all of them where more are to go than there are.
    ///
    /// - Parameters:
    ///   - leading: how many to drop at the start, counted at `sampleRate`; nothing if negative.
    ///   - trailing: how many to drop at the end.
    ///   - sampleRate: what the counts are counted at, such as the stream's where a decoder found twice its rate.
    public mutating func trim(leading: SampleCount, trailing: SampleCount, at sampleRate: Int) {
        let first = self.frames(leading, at: sampleRate)
        let last = self.frames(trailing, at: sampleRate)
        guard first > 0 || last > 0 else { return }
        let channelCount = self.format.channelCount
        let kept = max(0, self.frameCount - first - last)
        guard kept > 0 else {
            self.samples = []
            return
        }
        self.samples.removeLast(last * channelCount)
        self.samples.removeFirst(first * channelCount)
    }

    /// A count of samples in frames of this buffer, from 0 to all.
    private func frames(_ count: SampleCount, at sampleRate: Int) -> Int {
        guard count > 0, sampleRate > 0 else { return 0 }
        let all = Int64(self.frameCount)
        guard sampleRate != self.format.sampleRate else { return Int(min(count.rawValue, all)) }
        let (product, overflow) = count.rawValue.multipliedReportingOverflow(
            by: Int64(self.format.sampleRate)
        )
        return overflow ? Int(all) : Int(min(product / Int64(sampleRate), all))
    }
}
