// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when to resume a stalled player that does not wait itself.
///
/// It is pure: it takes events and returns the rate to play at, without a player and a clock. It
/// never plays when the player should be paused. A pause of the application, an interruption and
/// the background clear the wanted rate; a stall does not.
package struct StallMachine: Hashable, Sendable {
    /// The cause of a changed rate.
    package enum Cause: Hashable, Sendable, CaseIterable {
        /// The application has set it.
        case application
        /// The system has interrupted the audio, or the application is in the background.
        case system
        /// The player has stopped on its own: it has stalled, or reached the end.
        case player
    }

    /// An event.
    package enum Event: Hashable, Sendable {
        /// The player plays at another rate; 0 when it is stopped.
        case rateChanged(to: Float, Cause)
        /// The player has run out of bytes; it may have enough bytes again by now.
        case stalled(canKeepUp: Bool)
        /// The player has enough bytes to go on, or too few.
        case supplyChanged(canKeepUp: Bool)
    }

    /// The rate to play at; `nil` while the player should not play.
    package private(set) var wanted: Float?
    /// Whether the player is stopped because bytes are missing.
    package private(set) var isStalled = false

    /// A machine for a player that plays at a rate.
    package init(rate: Float = 0) {
        self.wanted = rate == 0 ? nil : rate
    }

    /// Handles an event.
    ///
    /// - Parameter event: the event.
    /// - Returns: the rate to set now; `nil`: there is nothing to do.
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
