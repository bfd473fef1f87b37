// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The tracks of a CUESHEET block (RFC 9639 §8.7), as chapters.
///
///     block   catalogue number 1024 | lead-in 64 | CD 1, reserved 2071 | tracks 8 | tracks
///     track   offset in samples 64 | number 8 | ISRC 96 | flags 2, reserved 110 | indices 8 | indices
///     index   offset in samples, from the track's 64 | number 8 | reserved 24
///
/// A chapter starts at its track's index 1, or at the track where that has none; the lead-out (170 or 255) ends the
/// last one.
enum FLACCueSheet {
    /// Reads the block, without its block header.
    ///
    /// - Parameters:
    ///   - view: the block.
    ///   - sampleRate: samples a second, from 1.
    /// - Returns: the chapters, without titles; `nil` if the block is broken.
    static func chapters(_ view: ByteView, sampleRate: Int) -> [AudioChapter]? {
        guard view.count >= 396 else { return nil }
        var position = 396
        var starts: [Int64] = []
        var end: Int64?
        for _ in 0..<Int(view[395]) {
            guard view.count - position >= 36 else { return nil }
            let number = view[position + 8]
            var start = self.milliseconds(view.big(position, UInt64.self), sampleRate)
            let indices = Int(view[position + 35])
            guard view.count - position - 36 >= indices * 12 else { return nil }
            for index in 0..<indices where view[position + 36 + index * 12 + 8] == 1 {
                let offset = view.big(position + 36 + index * 12, UInt64.self)
                let (sum, overflow) = view.big(position, UInt64.self).addingReportingOverflow(
                    offset
                )
                start = overflow ? nil : self.milliseconds(sum, sampleRate)
            }
            position += 36 + indices * 12
            guard let start else { return nil }
            if number == 170 || number == 255 { end = start } else { starts.append(start) }
        }
        return starts.enumerated().map { index, start in
            AudioChapter(
                startMilliseconds: start,
                endMilliseconds: index + 1 < starts.count ? starts[index + 1] : end,
                title: ""
            )
        }
    }

    private static func milliseconds(_ samples: UInt64, _ sampleRate: Int) -> Int64? {
        let (product, overflow) = samples.multipliedReportingOverflow(by: 1000)
        return overflow ? nil : Int64(exactly: product / UInt64(sampleRate))
    }
}
