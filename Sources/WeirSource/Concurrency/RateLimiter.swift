// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Holds all its users together to so many bytes per second.
///
/// Bytes are paid for in the order in which they come, and in advance nothing is saved up: after a
/// pause the rate is the same as before it.
package final class RateLimiter: Sendable {
    /// The rate.
    package let bytesPerSecond: Int64

    /// How many bytes are handed on at a time: those of a tenth of a second, and no fewer than 16 KiB.
    ///
    /// A connection gives more at a time, and whoever waits for the first of them would wait for all.
    package var pieceSize: Int64 { max(16 << 10, self.bytesPerSecond / 10) }

    package let timeline: Timeline
    /// When everything that was taken so far will have been paid for, since the timeline's start.
    private let paidUntil = Mutex(Duration.zero)

    /// Makes a limiter.
    ///
    /// - Parameters:
    ///   - bytesPerSecond: 1 or more; less is taken for 1.
    ///   - clock: measures the time and sleeps.
    package init(bytesPerSecond: Int64, clock: any Clock<Duration> = ContinuousClock()) {
        self.bytesPerSecond = max(1, bytesPerSecond)
        self.timeline = Timeline(clock)
    }

    /// Waits until the bytes that were taken before are paid for, then takes these.
    ///
    /// - Throws: `CancellationError`, at once, when the calling task is cancelled.
    package func take(_ bytes: Int) async throws {
        let wait = self.reserve(bytes)
        try Task.checkCancellation()
        if wait > .zero { try await self.timeline.sleep(wait) }
    }

    /// Takes bytes, and tells how long to wait before they are handed on.
    package func reserve(_ bytes: Int) -> Duration {
        let now = self.timeline.elapsed()
        let cost = Duration.seconds(Double(max(0, bytes)) / Double(self.bytesPerSecond))
        return self.paidUntil.withLock { paidUntil in
            let start = max(now, paidUntil)
            paidUntil = start + cost
            return start - now
        }
    }
}

/// What one resource takes of a rate that several share: as much as each other one that wants bytes, however many of its
/// readings do.
///
/// Of all readings of a resource one at a time stands in the limiter's row.
package final class RateShare: Sendable {
    /// What a reading with bytes to hand on is told.
    package enum Turn: Hashable, Sendable {
        /// The bytes are taken; hand them on after this time.
        case taken(Duration)
        /// Another reading of the resource is waiting; ask again after this time.
        case later(Duration)
    }

    package let limiter: RateLimiter
    /// When the reading that stands in the row hands its bytes on, since the timeline's start.
    private let due = Mutex(Duration.zero)

    package init(_ limiter: RateLimiter) {
        self.limiter = limiter
    }

    /// Takes bytes, unless another reading is before this one.
    package func reserve(_ bytes: Int) -> Turn {
        let now = self.limiter.timeline.elapsed()
        return self.due.withLock { due in
            guard due <= now else { return .later(due - now) }
            let wait = self.limiter.reserve(bytes)
            due = now + wait
            return .taken(wait)
        }
    }
}

extension RateLimiter: CustomStringConvertible {
    /// The rate.
    package var description: String { "\(self.bytesPerSecond) bytes/s" }
}
