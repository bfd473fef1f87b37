// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides when the beginning of the next item is fetched before its turn: what is known now in, an effect out.
///
/// An item is fetched once, near the end of the one before it, while that plays and is well buffered. A seek, a stop, a
/// changed queue and a run dry end the fetching; it may begin anew when all is well again.
struct PrefetchMachine: Sendable {
    /// What is known of the player at a moment.
    struct Situation: Sendable {
        /// Whether sound comes out.
        var isPlaying: Bool
        /// Whether enough sound is at hand behind the position.
        var isWellBuffered: Bool
        /// How long the present item still sounds; `nil` if unknown or without end.
        var remaining: Duration?
        /// The file behind the present item, which the feeder has not begun; `nil` if there is none.
        var next: ItemID?
    }

    enum Effect: Hashable, Sendable {
        case begin(ItemID)
        case cancel
    }

    /// How long before the end it may begin; `nil`: never.
    private let lead: Duration?
    /// What is being fetched.
    private(set) var current: ItemID?
    /// What was fetched last, or could not be.
    private var done: ItemID?

    init(lead: Duration?) {
        self.lead = lead
    }

    /// Some time has passed.
    mutating func observed(_ situation: Situation) -> Effect? {
        if let current {
            // The feeder reads it by now, or it is not the next any more, or the present item needs the line.
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
