// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The tasks of a player: a feeder, a renderer and a ticker for each beginning, and what closes the sink.
///
/// One after the other uses the sink: whoever comes waits for who was there before, who is cancelled.
struct PlayerTasks: Sendable {
    private var current: [Task<Void, Never>] = []
    private var lastUser: Task<Void, Never>?

    /// Leaves what was begun, and begins a run.
    mutating func begin(_ run: PlayerRun, _ core: PlayerCore) {
        let before = self.leave(core)
        let executor = core.options.executor
        // These belong to the run: the next beginning or the release cancels them, and they end by themselves with
        // what they play.
        let feeder = Task(executorPreference: executor) { await Feeder(core, run).feed() }
        let renderer = Task(executorPreference: executor) {
            await before?.value
            // What the one before was writing when it was cancelled.
            core.sink.discard()
            await Renderer(core, run).render()
        }
        let ticker = Task(executorPreference: executor) { await Ticker(core, run).tick() }
        self.current = [feeder, renderer, ticker]
        self.lastUser = renderer
    }

    /// Leaves what was begun, closes the sink, and says so.
    mutating func release(_ generation: UInt64, _ core: PlayerCore) {
        let before = self.leave(core)
        // Belongs to the player's stop; ends with the sink, and is not cancelled.
        self.lastUser = Task(executorPreference: core.options.executor) {
            await before?.value
            await core.sink.close()
            core.tell { $0.released(generation) }
        }
    }

    private mutating func leave(_ core: PlayerCore) -> Task<Void, Never>? {
        for task in self.current { task.cancel() }
        self.current = []
        core.sink.discard()
        return self.lastUser
    }
}
