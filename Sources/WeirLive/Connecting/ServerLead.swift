// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far a server is ahead of real time: how much later a listener hears the newest sound that has heard all before it.
///
/// Pure. Sound that comes adds to it, and time that passes takes from it; it is never less than nothing, since a listener
/// cannot hear what has not come. Beyond its limits the station waits before it reads more, so that the server sends no
/// faster than the sound is heard, and nothing of it is dropped unheard.
struct ServerLead: Hashable, Sendable {
    /// How far a server may be ahead.
    struct Limits: Hashable, Sendable {
        /// In sound.
        var duration: Duration
        /// In bytes.
        var byteCount: Int64
    }

    /// In sound.
    private(set) var duration: Duration = .zero
    /// In bytes, about: those that the sound came in.
    private(set) var byteCount: Double = 0
    private var last: Duration = .zero

    /// Bytes came, and the sound that was found in them.
    mutating func came(_ sound: Duration, byteCount: Int64, now: Duration) {
        self.pass(to: now)
        self.duration += max(.zero, sound)
        self.byteCount += Double(max(0, byteCount))
    }

    /// How long to wait before more is read.
    ///
    /// - Returns: zero where the server is within the limits.
    mutating func wait(_ limits: Limits, now: Duration) -> Duration {
        self.pass(to: now)
        let most = Double(max(1, limits.byteCount))
        let bytes = self.byteCount > most ? self.duration * (1 - most / self.byteCount) : .zero
        return max(.zero, max(self.duration - limits.duration, bytes))
    }

    /// Time has passed: as much sound was heard, and the bytes it came in.
    private mutating func pass(to now: Duration) {
        let passed = max(.zero, now - self.last)
        self.last = max(self.last, now)
        let left = max(.zero, self.duration - passed)
        self.byteCount = self.duration > .zero ? self.byteCount * (left / self.duration) : 0
        self.duration = left
    }
}
