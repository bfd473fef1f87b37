// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WeirLive
internal import WeirSource

extension PlayerCore {
    /// Brings position, titles and levels up to what is heard now, and notices when the sound has run dry.
    func tick(_ run: PlayerRun, look: PlayerLook = PlayerLook()) {
        let delay = self.sink.delay
        self.tell(run) { store in
            store.face.look = look.over(store.face.look)
            let isNew = store.hear(delay: delay)
            if let since = store.starvingSince, self.isDry(since: since, delay: delay) {
                store.starvingSince = nil
                let now = self.timeline.elapsed()
                store.arrange(store.machine.ranDry(at: now, run.generation))
            }
            if isNew || look.isNews { store.arrange([.publish]) }
        }
    }

    /// A sink that is not paced has nothing left to play: what comes within half a second is in time for it.
    private func isDry(since: Duration, delay: Duration) -> Bool {
        if self.sink.isPaced { return delay <= .milliseconds(5) }
        return self.timeline.elapsed() - since >= .milliseconds(500)
    }

    /// A station's connection does something else.
    func changed(_ status: StationStatus, _ run: PlayerRun) {
        self.tell(run) { store in
            if store.face.look.station != status { store.changed(status) }
        }
    }

    /// An item cannot be played: the next is, or none.
    func failed(_ failure: PlayerFailure, at index: Int, _ run: PlayerRun) {
        self.tell(run) { $0.failed(failure, at: index) }
    }

    /// Something happened that is not bound to a sample.
    func tell(_ event: PlayerEvent, _ run: PlayerRun) {
        self.tell(run) { $0.tell(event) }
    }

    /// The system's device is another: what was heard goes on where it was.
    func deviceChanged() {
        self.tell(nil) { $0.changeDevice() }
    }

    /// The sink says that its device is another: what was heard goes on where it was.
    ///
    /// At once the first time, then later and later: a sink that says so again and again without a second of sound has
    /// failed.
    func deviceChanged(_ error: AudioError, _ run: PlayerRun) async {
        let count = self.store.withLock { $0.deviceChanges }
        if count > 0 { try? await self.timeline.sleep(.milliseconds(100) * count) }
        if Task.isCancelled { return }
        self.tell(run) { store in
            store.deviceChanges += 1
            if store.deviceChanges <= PlayerStore.mostDeviceChanges { return store.changeDevice() }
            let failure = PlayerFailure(.sink, error.message, cause: error)
            store.arrange(store.machine.failed(failure, run.generation))
        }
    }

    /// Which parts of what is heard lie in the cache; `nil` if that is not known.
    func heldFractions(_ run: PlayerRun) -> [ClosedRange<Double>]? {
        let source = self.store.withLock { store -> (any ByteSource)? in
            guard store.run === run, let index = store.face.index,
                store.items.indices.contains(index),
                case .media(let source) = store.items[index].content
            else { return nil }
            return source
        }
        guard let availability = source?.availability(), let length = availability.length,
            length > 0
        else { return nil }
        return availability.held.ranges.prefix(1000).map { range in
            let lower = Double(range.lowerBound) / Double(length)
            return min(lower, 1)...min(max(lower, Double(range.upperBound) / Double(length)), 1)
        }
    }

    /// Changes the store, unless the run that wants it is over.
    private func tell(_ run: PlayerRun?, _ change: (inout PlayerStore) -> Void) {
        self.store.withLock { store in
            if let run, store.run !== run { return }
            change(&store)
        }
        self.work()
    }
}
