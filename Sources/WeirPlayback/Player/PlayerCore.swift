// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirLive
import WeirSource

/// A player's store under a lock, shared by its commands and tasks; it performs the store's
/// effects.
final class PlayerCore: Sendable {
    let options: PlayerOptions
    let sink: any AudioSink
    let timeline: Timeline
    let decoders: [any AudioDecoderFactory]

    private let store: EffectQueue<PlayerStore, PlayerEffect>
    private let tasks = Mutex(PlayerTasks())

    init(decoders: [any AudioDecoderFactory], sink: any AudioSink, options: PlayerOptions) {
        self.options = options
        self.sink = sink
        self.decoders = decoders
        self.timeline = Timeline(options.clock)
        let lead = options.prefetch?.lead
        self.store = EffectQueue(
            PlayerStore(
                limits: options.queue,
                prefetchLead: lead,
                allowedLag: options.allowedLag
            )
        )
    }

    // MARK: The store

    /// Changes the store, and performs the effects outside of the lock, unless another caller is
    /// doing so already.
    func change<Result: Sendable>(_ change: (inout PlayerStore) -> Result) -> Result {
        self.store.decide(performing: self.perform) { store, effects in
            defer { effects += store.takeEffects() }
            return change(&store)
        }
    }

    /// Changes the store for a run; does nothing and returns `nil` when another run has begun.
    @discardableResult
    func change<Result: Sendable>(
        _ run: PlayerRun,
        _ change: (inout PlayerStore) -> Result
    ) -> Result? {
        self.change { store in store.run === run ? change(&store) : nil }
    }

    /// Lets the machine decide on an event.
    func decide(_ event: (inout PlayerMachine) -> [PlayerEffect]) {
        self.change { $0.decide(event) }
    }

    /// Reads the store, or changes parts that no decision depends on.
    func withStore<Result: Sendable>(_ body: (inout PlayerStore) -> Result) -> Result {
        self.store.withState(body)
    }

    /// The same for a run; `nil` when another run has begun.
    func withStore<Result: Sendable>(
        of run: PlayerRun,
        _ body: (inout PlayerStore) -> Result
    ) -> Result? {
        self.store.withState { store in store.run === run ? body(&store) : nil }
    }

    private func perform(_ effect: PlayerEffect) {
        switch effect {
        case .pauseSink: self.sink.pause()
        case .resumeSink: self.sink.resume()
        case .setGain(let gain): self.sink.setGain(gain)
        case .begin(let generation):
            let run = self.withStore { $0.run }
            // A newer run is among the waiting effects already.
            guard run.generation == generation else { return }
            self.tasks.withLock { $0.begin(run, self) }
        case .release(let generation):
            self.tasks.withLock { $0.release(generation, self) }
        case .prefetch(let item): self.tasks.withLock { $0.prefetch(item, self) }
        case .cancelPrefetch: self.tasks.withLock { $0.cancelPrefetch() }
        case .openGate, .closeGate, .publish: break
        }
    }

    // MARK: Events

    /// Updates position, titles and levels to the heard sound, and notices an underrun.
    ///
    /// - Parameters:
    ///   - run: the run whose sound is heard.
    ///   - isLook: whether a tick has passed since the last look.
    ///   - heldFractions: the parts of the item in the cache; `nil`: as before.
    func tick(
        _ run: PlayerRun,
        isLook: Bool = true,
        heldFractions: [ClosedRange<Double>]? = nil
    ) {
        let delay = self.sink.delay
        let gain = self.sink.gain ?? 1
        // Not under the player's lock, and not for the renderer: a station holds its lock while it
        // writes to the disk.
        let live = (isLook ? run.listener : nil).map {
            (time: $0.liveTime, behind: $0.behindLive, rewindable: $0.rewindable)
        }
        self.change(run) { store in
            if let live { store.display.live = live }
            if let heldFractions { store.display.heldFractions = heldFractions }
            let now = isLook ? self.timeline.elapsed() : nil
            let isNew = store.hear(delay: delay, gain: gain, now: now)
            if isLook {
                store.waitedForSource(self.options.tick)
                if self.sink.isPaced { store.looked(atDelay: delay, tick: self.options.tick) }
            }
            if let since = store.starvingSince, self.isDry(since: since, delay: delay) {
                store.starvingSince = nil
                let now = self.timeline.elapsed()
                store.decide { $0.ranDry(at: now, run.generation) }
            }
            store.considerPrefetch()
            if isNew || heldFractions != nil { store.publish() }
        }
    }

    /// Whether the sound ran dry: a paced sink has at most 5 ms left.
    ///
    /// A sink that is not paced never has sound left to play. Then the sound ran dry if the queue
    /// was empty for half a second.
    private func isDry(since: Duration, delay: Duration) -> Bool {
        if self.sink.isPaced { return delay <= .milliseconds(5) }
        return self.timeline.elapsed() - since >= .milliseconds(500)
    }

    /// The sink reports another device: the sound continues where it was.
    ///
    /// The player opens the sink again at once after the first report, and after growing delays
    /// from then on. A sink that reports another device again and again without a second of sound
    /// has failed.
    func deviceChanged(_ error: AudioError, _ run: PlayerRun) async {
        let count = self.withStore { $0.deviceChanges }
        if count > 0 { try? await self.timeline.sleep(.milliseconds(100) * count) }
        if Task.isCancelled { return }
        self.change(run) { store in
            store.deviceChanges += 1
            if store.deviceChanges <= PlayerStore.mostDeviceChanges { return store.changeDevice() }
            let failure = PlayerFailure(.sink, error.message, cause: error)
            store.decide { $0.failed(failure, run.generation) }
        }
    }

    /// Opens the sink.
    ///
    /// If a device was available since the start and is not now, the function tries again and
    /// again. It waits a tenth of a second at first, then longer and longer, up to five seconds.
    ///
    /// - Throws: the sink's error; `CancellationError` when the task is cancelled.
    func openSink(_ format: PCMFormat, _ run: PlayerRun) async throws -> PCMFormat {
        // Another player may have used the sink.
        self.change(run) { $0.collect(.setGain($0.display.gain)) }
        var pause = Duration.milliseconds(100)
        while true {
            do {
                self.change(run) { $0.askedSink() }
                let taken = try await self.sink.open(format)
                self.change(run) { $0.sinkOpened() }
                return taken
            } catch let error as AudioError where error.code == .unavailable {
                guard self.withStore({ $0.hasHadDevice }) else { throw error }
                let words = "The sound waits for its device. \(error.message)"
                let failure = PlayerFailure(.sink, words, cause: error)
                self.change(run) { $0.deviceIsAway(failure) }
            }
            try await self.timeline.sleep(pause)
            pause = min(pause * 2, .seconds(5))
        }
    }

    /// Performs a call of the sink, and watches whether the sink answers.
    func askSink(_ run: PlayerRun, _ call: (any AudioSink) async throws -> Void) async throws {
        self.change(run) { $0.askedSink() }
        try await call(self.sink)
        self.change(run) { $0.sinkAnswered() }
    }

    /// Ticks until the task is cancelled, and so updates the display several times a second.
    func keepTicking(_ run: PlayerRun) async {
        /// The number of ticks between two look-ups of the cached parts.
        let ticksOfAvailability = 10
        var count = 0
        while !Task.isCancelled {
            if run.listener == nil, count % ticksOfAvailability == 0 {
                self.tick(run, heldFractions: self.heldFractions(run))
            } else {
                self.tick(run)
            }
            count += 1
            try? await self.timeline.sleep(self.options.tick)
        }
    }

    /// The cached parts of the medium that is heard; `nil` if unknown.
    private func heldFractions(_ run: PlayerRun) -> [ClosedRange<Double>]? {
        let source = self.withStore { store -> (any ByteSource)? in
            guard store.run === run, let id = store.display.item,
                case .media(let source)? = store.items.entry(id)?.item.content
            else { return nil }
            return source
        }
        guard let availability = source?.availability, let length = availability.length,
            length > 0
        else { return nil }
        return availability.held.ranges.prefix(1000).map { range in
            let lower = Double(range.lowerBound) / Double(length)
            return min(lower, 1)...min(max(lower, Double(range.upperBound) / Double(length)), 1)
        }
    }
}
