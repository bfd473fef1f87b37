// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The item, and the position in it, where a player begins a run.
struct StartPoint: Sendable {
    /// The position in the item.
    enum Location: Sendable {
        /// The item's own start.
        case itemStart
        /// A time from the item's beginning.
        case position(Duration)
        /// A station's live end.
        case live
        /// A time before a station's live end.
        case behindLive(Duration)
    }

    var index: Int
    var location: Location
    /// The position to show until sound is heard; the position of a station continues from it.
    var shown: Duration

    /// The beginning of an item.
    init(index: Int, shown: Duration = .zero) {
        self.init(index: index, location: .itemStart, shown: shown)
    }

    init(index: Int, location: Location, shown: Duration) {
        self.index = index
        self.location = location
        self.shown = shown
    }
}

extension StartPoint {
    /// How far behind the live end a station begins at this point.
    fileprivate var behindLive: Duration {
        if case .behindLive(let distance) = self.location { distance } else { .zero }
    }
}

extension PlayerStore {
    /// The largest position; times of that size can be added without overflow.
    private static let furthest = Duration.seconds(1 << 40)

    /// The index of the item that is heard.
    var index: Int { self.display.item.flatMap { self.items.index(of: $0) } ?? self.start.index }

    /// The station's time of the heard sound; `nil` while no station plays, or while none of its
    /// sound has arrived.
    var stationTime: Duration? {
        guard self.display.isLive, self.run.listener != nil, let end = self.queue.end else {
            return nil
        }
        return .seconds(end - self.queue.seconds) - (self.ledger.written - self.ledger.heard)
    }

    /// How far behind a station's live end the heard sound is; `nil` if no station plays.
    var behindLive: Duration? {
        guard self.display.isLive, self.run.listener != nil, let live = self.display.live else {
            return nil
        }
        guard let time = self.stationTime else { return live.behind }
        return max(.zero, live.time - time)
    }

    /// The point that is heard.
    var here: StartPoint { self.point(at: self.ledger.position) }

    /// A point at a distance from the heard position.
    func point(by distance: Duration) -> StartPoint {
        self.point(
            at: self.ledger.position + min(max(distance, .zero - Self.furthest), Self.furthest)
        )
    }

    /// A position of the heard item; for a station, a point at the same distance from the heard
    /// one.
    func point(at position: Duration) -> StartPoint {
        let position = min(max(.zero, position), Self.furthest)
        // While the player joins a station again, the distance counts from the position that it
        // joins.
        let behind = self.behindLive ?? (self.display.isLive ? self.start.behindLive : nil)
        guard let behind else {
            let shown = min(position, self.display.duration ?? position)
            return StartPoint(index: self.index, location: .position(position), shown: shown)
        }
        let distance = behind - (position - self.ledger.position)
        return StartPoint(
            index: self.index,
            location: distance <= .zero ? .live : .behindLive(distance),
            // As in ``liveEnd``: the shown position continues from the heard one.
            shown: distance <= .zero ? self.ledger.position : position
        )
    }

    /// The live end of a station; `nil` if no station plays.
    var liveEnd: StartPoint? {
        guard self.behindLive != nil else { return nil }
        return StartPoint(index: self.index, location: .live, shown: self.ledger.position)
    }

    /// The beginning of the item after the heard one; `nil` for the last one.
    var nextItem: StartPoint? { self.beginning(of: self.index + 1) }

    /// The beginning of the heard item; within its first three seconds, and in a station, of the
    /// item before it.
    var previousItem: StartPoint? {
        let hasBegun = self.ledger.position > .seconds(3) && self.behindLive == nil
        return self.beginning(of: max(0, self.index - (hasBegun ? 0 : 1)))
    }

    private func beginning(of index: Int) -> StartPoint? {
        self.items.indices.contains(index) ? StartPoint(index: index) : nil
    }
}
