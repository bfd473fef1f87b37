// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WeirSource

/// What a player's commands and tasks share: a store under a lock.
///
/// Whatever the machine wants done is put in a row under the lock and done outside of it, in that order, by whoever
/// comes first: no two do it at a time, and nobody waits for it.
final class PlayerCore: Sendable {
    let options: PlayerOptions
    let sink: any AudioSink
    let timeline: Timeline
    let decoders: [any AudioDecoderFactory]
    let eventFeed = PlayerFeed<PlayerEvent>(.bufferingNewest(4096))
    let snapshotFeed = PlayerFeed<PlayerSnapshot>(.bufferingNewest(1))

    let store: Mutex<PlayerStore>
    private let tasks = Mutex(PlayerTasks())

    init(decoders: [any AudioDecoderFactory], sink: any AudioSink, options: PlayerOptions) {
        self.options = options
        self.sink = sink
        self.decoders = decoders
        self.timeline = Timeline(options.clock)
        self.store = Mutex(PlayerStore(limits: options.queue))
    }

    deinit {
        // The tasks hold the core while they run: here none does.
        self.eventFeed.finish()
        self.snapshotFeed.finish()
    }

    // MARK: Commands

    /// Changes the machine, and does what it wants.
    func command(
        _ change: (inout PlayerMachine) -> (PlayerAnswer, [PlayerEffect])
    ) -> PlayerAnswer {
        let answer = self.store.withLock { store -> PlayerAnswer in
            let (answer, effects) = change(&store.machine)
            store.arrange(effects)
            return answer
        }
        self.work()
        return answer
    }

    /// The same for what begins somewhere.
    ///
    /// - Parameter change: gives the place; `nil` if there is none, with the answer.
    /// - Returns: the answer.
    func begin(
        _ change: (PlayerSituation, inout PlayerMachine) -> (
            PlayerAnswer, [PlayerEffect], PlayerBeginning?
        )
    ) -> PlayerAnswer {
        let answer = self.store.withLock { store -> PlayerAnswer in
            let situation = store.situation
            let (answer, effects, beginning) = change(situation, &store.machine)
            if let beginning {
                if let items = beginning.items { store.items = items }
                store.place = beginning.place
                if beginning.isStart {
                    store.face.concealed = 0
                    store.deviceChanges = 0
                }
            }
            store.arrange(effects)
            return answer
        }
        self.work()
        return answer
    }

    /// News for the machine.
    func tell(_ change: (inout PlayerMachine) -> [PlayerEffect]) {
        _ = self.command { (.done, change(&$0)) }
    }

    /// Changes what is only shown.
    func show(_ change: (inout PlayerFace) -> Void) {
        self.store.withLock { store in
            change(&store.face)
            store.arrange([.publish])
        }
        self.work()
    }

    var snapshot: PlayerSnapshot { self.store.withLock { $0.snapshot } }

    /// What happens from now on.
    func events() -> AsyncStream<PlayerEvent> {
        self.eventFeed.stream(after: self.store.withLock { $0.order })
    }

    /// All that can be said, now and from now on.
    func snapshots() -> AsyncStream<PlayerSnapshot> {
        self.snapshotFeed.stream { self.store.withLock { ($0.snapshot, $0.order) } }
    }

    /// How loud it is to be.
    var gain: Float { self.store.withLock { $0.face.isMuted ? 0 : Float($0.face.volume) } }

    // MARK: Outside of the lock

    /// Does what lies in the row, unless somebody else is at it.
    func work() {
        while true {
            let next = self.store.withLock { store -> [PlayerStore.Work]? in
                if store.isWorking { return nil }
                guard !store.work.isEmpty else { return nil }
                store.isWorking = true
                defer { store.work = [] }
                return store.work
            }
            guard let next else { return }
            for work in next { self.perform(work) }
            self.store.withLock { $0.isWorking = false }
        }
    }

    private func perform(_ work: PlayerStore.Work) {
        switch work {
        case .event(let event, let order): self.eventFeed.tell(event, order)
        case .snapshot(let snapshot, let order): self.snapshotFeed.tell(snapshot, order)
        case .effect(.pauseSink): self.sink.pause()
        case .effect(.resumeSink): self.sink.resume()
        case .effect(.begin(let generation)):
            let run = self.store.withLock { $0.run }
            // A newer beginning is in the row already.
            guard run.generation == generation else { return }
            self.tasks.withLock { $0.begin(run, self) }
        case .effect(.release(let generation)):
            self.tasks.withLock { $0.release(generation, self) }
        case .effect: break
        }
    }
}
