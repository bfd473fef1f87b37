// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WeirSource

extension PlayerCore {
    // MARK: The feeder

    /// What is to be played, and from where; `nil` if that is no longer wanted.
    func assignment(_ run: PlayerRun) -> (items: [PlayerItem], place: PlayerPlace)? {
        self.store.withLock { store in
            store.run === run ? (store.items, store.place) : nil
        }
    }

    /// Returns when there is room in the queue: only then is the source asked for more, so that what was taken from it
    /// lies in the queue and nowhere else.
    ///
    /// - Throws: `CancellationError` when no more is wanted.
    func room(_ run: PlayerRun) async throws {
        while true {
            try Task.checkCancellation()
            let isFull = try self.store.withLock { store -> Bool in
                guard store.run === run else { throw CancellationError() }
                return store.queue.isFull
            }
            if !isFull { return }
            await run.room.wait()
        }
    }

    /// Puts entries into the queue, all at once.
    ///
    /// - Throws: `CancellationError` when they are no longer wanted.
    func push(_ entries: [QueueEntry], _ run: PlayerRun) throws {
        try self.store.withLock { store in
            guard store.run === run else { throw CancellationError() }
            let count = store.queue.packetCount
            for entry in entries {
                store.queue.push(entry)
                // How long it is may be seen before it is heard: somebody may have paused.
                if case .format(let format) = entry { store.face.foresee(format) }
            }
            run.work.wake()
            guard store.queue.packetCount > count else { return }
            store.starvingSince = nil
            let effects = store.machine.queued(
                seconds: store.queue.seconds,
                isFull: store.queue.isFull,
                run.generation
            )
            store.arrange(effects)
        }
        self.work()
    }

    /// Nothing more comes.
    func end(_ run: PlayerRun) {
        self.store.withLock { store in
            guard store.run === run else { return }
            let hasSound = store.queue.packetCount > 0
            store.queue.push(.end)
            run.work.wake()
            let effects = store.machine.sourceEnded(hasSound: hasSound, run.generation)
            store.arrange(effects)
        }
        self.work()
    }

    // MARK: The renderer

    /// The next entry, when there is one and it is its time.
    ///
    /// - Throws: `CancellationError` when it is no longer wanted.
    func next(_ run: PlayerRun) async throws -> QueueEntry {
        while true {
            try Task.checkCancellation()
            let entry = try self.store.withLock { store -> QueueEntry? in
                guard store.run === run else { throw CancellationError() }
                guard let next = store.queue.next else {
                    if store.machine.isSounding, store.starvingSince == nil {
                        store.starvingSince = self.timeline.elapsed()
                    }
                    return nil
                }
                // What is no sound passes whatever the store.
                guard !next.isPacket || store.machine.isSounding else { return nil }
                let wasFull = store.queue.isFull
                let entry = store.queue.pop()
                if wasFull, !store.queue.isFull { run.room.wake() }
                return entry
            }
            if let entry { return entry }
            await run.work.wait()
        }
    }

    /// Writes something into the book of what is heard.
    func note(_ run: PlayerRun, _ change: (inout RenderLedger) -> Void) {
        self.store.withLock { store in
            guard store.run === run else { return }
            change(&store.ledger)
        }
    }
}
