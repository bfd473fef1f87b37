// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// How much of its sound a device with a buffer would have played by now: a pure machine; its caller reads the clock.
///
/// Sound that was taken is heard from the moment it is taken, one second in a second, unless it is paused. When
/// nothing is left the time goes on without sound.
struct SinkPace {
    /// What a task that waits for room is to do.
    enum Wait: Equatable {
        /// Go on: there is room.
        case none
        /// Wait as long, then ask again.
        case sleep(Duration)
        /// Wait for a call that changes something.
        case untilChanged
    }

    /// How much sound the buffer holds.
    let capacity: Duration
    /// How much was left to be heard at ``moment``.
    private var left: Duration = .zero
    /// When ``left`` was true.
    private var moment: Duration = .zero
    /// Whether the sound is paused.
    private(set) var isPaused = false
    /// Counts the discards.
    private(set) var discardCount: UInt64 = 0

    /// Makes an empty device.
    ///
    /// - Parameter capacity: how much sound the buffer holds, more than nothing.
    init(capacity: Duration) {
        precondition(capacity > .zero, "a device without a buffer cannot be paced")
        self.capacity = capacity
    }

    /// How much is not heard yet.
    func delay(at now: Duration) -> Duration {
        self.isPaused ? self.left : max(.zero, self.left - max(.zero, now - self.moment))
    }

    /// What to wait for until as much sound finds room; half the buffer where it is longer than that.
    func waitForRoom(_ length: Duration, at now: Duration) -> Wait {
        self.wait(untilLeft: self.capacity - min(length, self.capacity / 2), at: now)
    }

    /// What to wait for until no more than this is left.
    func wait(untilLeft goal: Duration, at now: Duration) -> Wait {
        let delay = self.delay(at: now)
        if delay <= goal { return .none }
        return self.isPaused ? .untilChanged : .sleep(delay - goal)
    }

    /// Takes sound.
    mutating func take(_ length: Duration, at now: Duration) {
        self.settle(at: now)
        self.left += length
    }

    /// Pauses the sound.
    mutating func pause(at now: Duration) {
        self.settle(at: now)
        self.isPaused = true
    }

    /// Lets the sound go on.
    mutating func resume(at now: Duration) {
        self.settle(at: now)
        self.isPaused = false
    }

    /// Drops what is not heard.
    mutating func discard() {
        self.left = .zero
        self.discardCount += 1
    }

    private mutating func settle(at now: Duration) {
        self.left = self.delay(at: now)
        self.moment = max(self.moment, now)
    }
}
