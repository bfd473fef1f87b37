// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// How much of its sound a device with a buffer would have played by now: a pure machine, without a
/// clock.
///
/// The device plays sound in real time from the moment when it takes the sound, unless it is
/// paused. When no sound is left, the time continues without sound.
struct SinkPace {
    /// The next action of a task that waits for room.
    enum Wait: Equatable {
        /// Continue: there is room.
        case none
        /// Wait for this time, then ask again.
        case sleep(Duration)
        /// Wait for a change of the state.
        case untilChanged
    }

    /// How much sound the buffer holds.
    let capacity: Duration
    /// How much unheard sound there was at ``moment``.
    private var left: Duration = .zero
    /// The time of the value in ``left``.
    private var moment: Duration = .zero
    /// Whether the sound is paused.
    private(set) var isPaused = false
    /// The number of discards.
    private(set) var discardCount: UInt64 = 0

    /// An empty device.
    ///
    /// - Parameter capacity: how much sound the buffer holds, more than zero.
    init(capacity: Duration) {
        precondition(capacity > .zero, "a device without a buffer cannot be paced")
        self.capacity = capacity
    }

    /// How much sound is not heard yet.
    func delay(at now: Duration) -> Duration {
        self.isPaused ? self.left : max(.zero, self.left - max(.zero, now - self.moment))
    }

    /// The wait until the buffer has room for a length of sound, or for half the buffer if the
    /// length exceeds that.
    func waitForRoom(_ length: Duration, at now: Duration) -> Wait {
        self.wait(untilLeft: self.capacity - min(length, self.capacity / 2), at: now)
    }

    /// The wait until no more than this is left.
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

    /// Continues the sound.
    mutating func resume(at now: Duration) {
        self.settle(at: now)
        self.isPaused = false
    }

    /// Drops the sound that is not heard yet.
    mutating func discard() {
        self.left = .zero
        self.discardCount += 1
    }

    private mutating func settle(at now: Duration) {
        self.left = self.delay(at: now)
        self.moment = max(self.moment, now)
    }
}
