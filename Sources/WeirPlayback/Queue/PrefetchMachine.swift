// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when to fetch the beginning of the next item before its turn: a situation in, an effect
/// out.
///
/// An item is fetched once, near the end of the item before it, while that item plays and is well
/// buffered. A pause, a seek, a stop, a changed queue or an underrun ends the fetching; it may
/// begin again later.
struct PrefetchMachine: Sendable {
    /// The player's situation at one moment.
    struct Situation: Sendable {
        /// Whether sound is played.
        var isPlaying: Bool
        /// Whether enough sound is buffered after the position.
        var isWellBuffered: Bool
        /// The remaining time of the current item; `nil` if unknown or without end.
        var remaining: Duration?
        /// The file after the current item, which the feeder has not begun; `nil` if there is none.
        var next: ItemID?
    }

    enum Effect: Hashable, Sendable {
        case begin(ItemID)
        case cancel
    }

    /// How long before the end of the current item the fetching may begin; `nil`: never.
    private let lead: Duration?
    /// The item whose beginning is being fetched.
    private(set) var current: ItemID?
    /// The last item that was fetched, or could not be fetched.
    private var done: ItemID?

    init(lead: Duration?) {
        self.lead = lead
    }

    /// Observes the player's situation.
    mutating func observed(_ situation: Situation) -> Effect? {
        if let current {
            // Cancel if the feeder already reads the item, if another item is next, or if no sound
            // plays: the current item may need the bandwidth.
            return current == situation.next && situation.isPlaying ? nil : self.interrupted()
        }
        guard let lead, situation.isPlaying, situation.isWellBuffered,
            let remaining = situation.remaining, remaining <= lead,
            let next = situation.next, next != self.done
        else { return nil }
        self.current = next
        return .begin(next)
    }

    /// The item's beginning was fetched, or could not be.
    mutating func ended(_ item: ItemID) {
        guard self.current == item else { return }
        self.current = nil
        self.done = item
    }

    /// The player seeks or stops, or its queue has changed.
    mutating func interrupted() -> Effect? {
        guard self.current != nil else { return nil }
        self.current = nil
        return .cancel
    }
}
