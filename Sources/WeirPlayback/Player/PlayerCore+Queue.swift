// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The packet queue between the feeder and the renderer of a run.
///
/// The throwing functions throw `CancellationError` when another run has begun.
extension PlayerCore {
    /// Returns when there is room in the queue.
    ///
    /// The feeder reads from the source only then, so that all bytes read are in the queue and nowhere else.
    func waitForRoom(_ run: PlayerRun) async throws {
        while true {
            try Task.checkCancellation()
            let seen = run.room.count
            guard let isFull = self.withStore(of: run, { $0.queue.isFull }) else {
                throw CancellationError()
            }
            if !isFull { return }
            try await run.room.wait(after: seen)
        }
    }

    /// Adds entries to the queue, all at once.
    func push(_ entries: [QueueEntry], _ run: PlayerRun) throws {
        let isPushed: Void? = self.change(run) { store in
            let count = store.queue.packetCount
            for entry in entries {
                store.queue.push(entry)
                if case .item(let item) = entry, !item.isNameless {
                    store.items.found(item.name, of: item.id)
                }
                // The length is shown before the format is heard, because the player may be paused.
                if case .format(let format) = entry, store.display.format == nil {
                    store.display.format = format
                }
            }
            run.work.raise()
            guard store.queue.packetCount > count else { return }
            store.starvingSince = nil
            store.sourceGave()
            let (seconds, isFull) = (store.queue.seconds, store.queue.isFull)
            store.decide { $0.queued(seconds: seconds, isFull: isFull, run.generation) }
        }
        guard isPushed != nil else { throw CancellationError() }
    }

    /// The item after another, as soon as there is one; until then the queue ends with the other item.
    func entry(after id: ItemID, _ run: PlayerRun) async throws -> ItemList.Entry {
        while true {
            try Task.checkCancellation()
            let seen = run.more.count
            let next = self.change(run) { store -> ItemList.Entry? in
                if let next = store.feedNext(after: id) { return next }
                store.endQueue()
                return nil
            }
            guard let next else { throw CancellationError() }
            if let next { return next }
            try await run.more.wait(after: seen)
        }
    }

    /// Takes the next entry, as soon as there is one; a packet only while sound is to be played.
    func next(_ run: PlayerRun) async throws -> QueueEntry {
        while true {
            try Task.checkCancellation()
            let seen = run.work.count
            let taken = self.withStore(of: run) { store -> QueueEntry? in
                guard let next = store.queue.next else {
                    if store.machine.isSounding, store.starvingSince == nil {
                        store.starvingSince = self.timeline.elapsed()
                    }
                    return nil
                }
                guard !next.isPacket || store.machine.isSounding else { return nil }
                let wasFull = store.queue.isFull
                let entry = store.queue.pop()
                if wasFull, !store.queue.isFull { run.room.raise() }
                return entry
            }
            guard let taken else { throw CancellationError() }
            if let entry = taken { return entry }
            try await run.work.wait(after: seen)
        }
    }

    /// Records sound written to the sink, or its marks, in the ledger.
    func note(_ run: PlayerRun, _ change: (inout RenderLedger) -> Void) {
        _ = self.withStore(of: run) { change(&$0.ledger) }
    }
}
