// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Decides when a proxy that cannot accept connections tries again.
///
/// The system keeps a connection that is not accepted ready, and says so for as long as it is: who tries again at once
/// spends a core on failing. So accepting pauses, and goes on when a connection has ended or after a while.
struct AcceptGate {
    /// What is to be done about a failure.
    struct Pause: Hashable {
        let time: TimeAmount
        /// Whether it is the first in the gate's life: it is told once.
        let isFirst: Bool
    }

    /// How long the first pause is; each that follows, without a connection accepted between, is twice as long.
    static let shortest = TimeAmount.milliseconds(50)
    /// How long a pause is at most.
    static let longest = TimeAmount.seconds(2)

    /// Whether nothing is accepted now.
    private(set) var isPaused = false
    private var hasPaused = false
    private var next = AcceptGate.shortest

    /// A connection could not be accepted, or had to be closed at once.
    ///
    /// - Returns: `nil` if accepting pauses already.
    mutating func failed() -> Pause? {
        guard !self.isPaused else { return nil }
        defer {
            self.isPaused = true
            self.hasPaused = true
            self.next = min(self.next + self.next, Self.longest)
        }
        return Pause(time: self.next, isFirst: !self.hasPaused)
    }

    /// A connection was accepted.
    mutating func accepted() {
        self.next = Self.shortest
    }

    /// A connection has ended, or the pause has.
    ///
    /// - Returns: whether accepting goes on with this.
    mutating func reopened() -> Bool {
        defer { self.isPaused = false }
        return self.isPaused
    }
}
