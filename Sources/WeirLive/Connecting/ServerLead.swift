// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far a server is ahead of real time.
///
/// The lead is the time until a listener hears the newest sound, if it first hears all sound before
/// that.
///
/// Pure. New sound increases the lead, and passing time reduces it. The lead is never below zero,
/// since a listener cannot hear sound that has not arrived. Beyond the limits the station waits
/// before it reads more. So the server sends no faster than the sound is heard, and no sound is
/// dropped unheard.
struct ServerLead: Hashable, Sendable {
    /// How far a server may be ahead.
    struct Limits: Hashable, Sendable {
        /// As a duration of sound.
        var duration: Duration
        /// In bytes.
        var byteCount: Int64
    }

    /// The lead as a duration of sound.
    private(set) var duration: Duration = .zero
    /// The lead in bytes: about the number of bytes that contain that sound.
    private(set) var byteCount: Double = 0
    private var last: Duration = .zero

    /// Bytes arrived, with this much sound in them.
    mutating func came(_ sound: Duration, byteCount: Int64, now: Duration) {
        self.pass(to: now)
        self.duration += max(.zero, sound)
        self.byteCount += Double(max(0, byteCount))
    }

    /// How long to wait before the next read.
    ///
    /// - Returns: zero when the server is within the limits.
    mutating func wait(_ limits: Limits, now: Duration) -> Duration {
        self.pass(to: now)
        let most = Double(max(1, limits.byteCount))
        let bytes = self.byteCount > most ? self.duration * (1 - most / self.byteCount) : .zero
        return max(.zero, max(self.duration - limits.duration, bytes))
    }

    /// Reduces the lead by the passed time, in sound and in bytes.
    private mutating func pass(to now: Duration) {
        let passed = max(.zero, now - self.last)
        self.last = max(self.last, now)
        let left = max(.zero, self.duration - passed)
        self.byteCount = self.duration > .zero ? self.byteCount * (left / self.duration) : 0
        self.duration = left
    }
}
