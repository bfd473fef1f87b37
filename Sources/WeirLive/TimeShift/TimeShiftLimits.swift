// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How much of a station's past is kept.
struct TimeShiftLimits: Hashable, Sendable {
    /// How far back one can go at least, as far as the other limits allow; zero or less: nothing is kept on disk.
    var duration: Duration
    /// How many bytes are kept at most, in memory and on disk together.
    var byteCount: Int64

    /// Limits.
    ///
    /// - Parameters:
    ///   - duration: how far back one can go; half an hour if it is not said.
    ///   - byteCount: how many bytes are kept at most; a gibibyte if it is not said.
    init(duration: Duration = .seconds(1800), byteCount: Int64 = 1 << 30) {
        self.duration = duration
        self.byteCount = byteCount
    }
}
