// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The order of the items: the feeder's next item, and the effects of an edit of the order.
extension PlayerStore {
    /// The name of an item.
    func name(of id: ItemID) -> String {
        self.items.index(of: id).map { self.items.names[$0] } ?? ""
    }

    /// The item in which the run begins.
    mutating func feedFirst() -> ItemList.Entry? {
        guard self.items.indices.contains(self.start.index) else { return nil }
        let entry = self.items.entries[self.start.index]
        self.fed = [entry.id]
        return entry
    }

    /// The item after another; the feeder begins it.
    mutating func feedNext(after id: ItemID) -> ItemList.Entry? {
        guard let next = self.items.successor(of: id) else { return nil }
        if self.isEndPushed {
            // If the renderer has taken the end already, it plays to the end. Then a new run begins with this item.
            guard self.queue.retractEnd() else { return nil }
            self.isEndPushed = false
            self.decide { [run] in $0.sourceContinued(run.generation) }
        }
        self.fed.append(next.id)
        return next
    }

    /// Ends the queue: no more items follow, as far as is known.
    mutating func endQueue() {
        guard !self.isEndPushed else { return }
        self.isEndPushed = true
        let hasSound = self.queue.packetCount > 0
        self.queue.push(.end)
        self.run.work.raise()
        self.decide { [run] in $0.sourceEnded(hasSound: hasSound, run.generation) }
    }

    /// Changes the order of the items.
    ///
    /// The sound of the current item continues. If the items read ahead no longer follow it, a new run begins at
    /// the current position. If the current item is removed, the item in its place plays, or the player stops.
    mutating func edit(_ change: (inout ItemList) -> Void) {
        let index = self.index
        let present = self.items.indices.contains(index) ? self.items.entries[index].id : nil
        let starting =
            self.items.indices.contains(self.start.index)
            ? self.items.entries[self.start.index].id : nil
        let here = self.here
        change(&self.items)
        let isBegun = self.machine.isActive
        if let starting, let moved = self.items.index(of: starting) { self.start.index = moved }
        self.start.index = min(self.start.index, max(0, self.items.count - 1))
        self.perform(self.prefetch.interrupted())
        guard isBegun, let present else { return self.publish() }
        guard let now = self.items.index(of: present) else {
            guard self.items.indices.contains(index) else {
                _ = self.command { $0.stop() }
                return
            }
            self.start = StartPoint(index: index)
            return self.decide { $0.seek().1 }
        }
        let ahead = self.fed.drop { $0 != present }
        let wanted = self.items.entries[now...].lazy.map(\.id)
        guard ahead.isEmpty || wanted.starts(with: ahead) else {
            self.start = here
            self.start.index = now
            return self.decide { $0.seek().1 }
        }
        self.run.more.raise()
        self.publish()
    }

    /// Lets the prefetch machine look at the current situation.
    mutating func considerPrefetch() {
        let present = self.display.item
        let next = present.flatMap { self.items.successor(of: $0) }
        var situation = PrefetchMachine.Situation(
            isPlaying: self.machine.state == .playing,
            isWellBuffered: self.queue.isHalfFull,
            remaining: self.display.duration.map { $0 - self.ledger.position },
            next: nil
        )
        if let next, !self.fed.contains(next.id), case .media = next.item.content {
            situation.next = next.id
        }
        self.perform(self.prefetch.observed(situation))
    }

    /// Collects the effect of the prefetch machine.
    mutating func perform(_ effect: PrefetchMachine.Effect?) {
        switch effect {
        case .begin(let item): self.collect(.prefetch(item))
        case .cancel: self.collect(.cancelPrefetch)
        case nil: break
        }
    }
}
