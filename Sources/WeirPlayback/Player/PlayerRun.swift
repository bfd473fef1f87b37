// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirSource

/// One run of a player, from a start, a seek or a change of device to the next: the shared state of
/// its tasks.
final class PlayerRun: Sendable {
    let generation: UInt64
    /// There is room in the queue.
    let room = Signal()
    /// There is an entry in the queue, or the renderer may write.
    let work = Signal()
    /// There is an item after the former last one.
    let more = Signal()

    private let listening = Mutex<StationListener?>(nil)

    init(generation: UInt64) {
        self.generation = generation
    }

    /// The station's listener, if a station plays.
    var listener: StationListener? { self.listening.withLock { $0 } }

    func setListener(_ listener: StationListener?) {
        self.listening.withLock { $0 = listener }
    }
}

/// The tasks of a player: a feeder, a renderer and a ticker for each run, and one that closes the
/// sink.
///
/// One task at a time uses the sink: each waits for the end of the previous task, which is
/// cancelled.
struct PlayerTasks: Sendable {
    private var current: [Task<Void, Never>] = []
    private var lastUser: Task<Void, Never>?
    private var prefetching: Task<Void, Never>?

    /// Fetches the beginning of an item, in place of any other item.
    mutating func prefetch(_ item: ItemID, _ core: PlayerCore) {
        self.prefetching?.cancel()
        // Belongs to the player, whose machine cancels it with the run at the latest; ends within
        // its limits.
        self.prefetching = Task(executorPreference: core.options.executor) {
            await core.prefetch(item)
        }
    }

    /// Ends the fetching.
    mutating func cancelPrefetch() {
        self.prefetching?.cancel()
        self.prefetching = nil
    }

    /// Cancels the previous run, and begins a run.
    mutating func begin(_ run: PlayerRun, _ core: PlayerCore) {
        let before = self.cancel(core)
        let executor = core.options.executor
        // These belong to the run: the next beginning or the release cancels them, and they end
        // with the end of the sound.
        let feeder = Task(executorPreference: executor) { await core.feed(run) }
        let renderer = Task(executorPreference: executor) {
            await before?.value
            // Drops the sound that the previous run was writing when it was cancelled.
            core.sink.discard()
            await Renderer(core, run).render()
        }
        let ticker = Task(executorPreference: executor) { await core.keepTicking(run) }
        self.current = [feeder, renderer, ticker]
        self.lastUser = renderer
    }

    /// Cancels the run, closes the sink, and reports `released`.
    mutating func release(_ generation: UInt64, _ core: PlayerCore) {
        let before = self.cancel(core)
        // Belongs to the player's stop; ends when the sink is closed, and is not cancelled.
        self.lastUser = Task(executorPreference: core.options.executor) {
            await before?.value
            await core.sink.close()
            core.decide { $0.released(generation) }
        }
    }

    private mutating func cancel(_ core: PlayerCore) -> Task<Void, Never>? {
        for task in self.current { task.cancel() }
        self.current = []
        core.sink.discard()
        return self.lastUser
    }
}
