// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when a player that does not wait by itself plays on after a stall.
///
/// Pure: events in, the rate to play at out; it knows no player and no time. It never plays against a wish: a pause of the
/// application, an interruption and the background end the wish to play, and a stall does not.
package struct StallMachine: Hashable, Sendable {
    /// Why a rate is another one than before.
    package enum Cause: Hashable, Sendable, CaseIterable {
        /// The application has set it.
        case application
        /// The system has taken the sound away, or the application is in the background.
        case system
        /// The player has stopped by itself: it has stalled, or come to the end.
        case player
    }

    /// What happened.
    package enum Event: Hashable, Sendable {
        /// The player plays at another rate; 0 when it stands still.
        case rateChanged(to: Float, Cause)
        /// The player has run out of bytes, with or without enough of them since.
        case stalled(canKeepUp: Bool)
        /// The player has enough bytes to play on, or too few.
        case supplyChanged(canKeepUp: Bool)
    }

    /// The rate that is wanted; `nil` while nobody wants the player to play.
    package private(set) var wanted: Float?
    /// Whether the player stands still for want of bytes.
    package private(set) var isStalled = false

    /// A machine for a player that plays at a rate.
    package init(rate: Float = 0) {
        self.wanted = rate == 0 ? nil : rate
    }

    /// Takes an event.
    ///
    /// - Parameter event: what happened.
    /// - Returns: the rate to play at now; `nil`: nothing is to be done.
    package mutating func handle(_ event: Event) -> Float? {
        switch event {
        case .rateChanged(let rate, let cause):
            if rate != 0 {
                self.wanted = rate
                self.isStalled = false
            } else if cause != .player {
                self.wanted = nil
                self.isStalled = false
            }
            return nil
        case .stalled(let canKeepUp):
            self.isStalled = self.wanted != nil
            return self.supply(canKeepUp)
        case .supplyChanged(let canKeepUp): return self.supply(canKeepUp)
        }
    }

    private mutating func supply(_ canKeepUp: Bool) -> Float? {
        guard canKeepUp, self.isStalled, let wanted else { return nil }
        self.isStalled = false
        return wanted
    }
}
