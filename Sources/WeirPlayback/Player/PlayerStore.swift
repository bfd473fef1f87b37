// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive
import WeirSource

/// The state of a player: the machine, the queue, the ledger of heard sound, and the displayed
/// facts.
///
/// It performs no effects: it collects them, and ``PlayerCore`` performs them outside of its lock.
/// Observers are notified at once, under that lock, which wakes their tasks and runs none of their
/// code.
struct PlayerStore: Sendable {
    /// How often in a row a sink may report another device without a second of sound in between.
    static let mostDeviceChanges = 10
    /// How long a file's source may deliver nothing before the player reports it.
    static let silencePatience: Duration = .seconds(3)

    let limits: QueueLimits
    let events = Broadcast<PlayerEvent>(capacity: 4096)
    let snapshots = Broadcast<PlayerSnapshot>(capacity: 1)
    private(set) var machine = PlayerMachine()
    var queue: PacketQueue
    var ledger = RenderLedger()
    private(set) var run = PlayerRun(generation: 0)
    var items = ItemList()
    /// The items that the run's feeder has begun, in order.
    var fed: [ItemID] = []
    /// Whether the end entry is in the queue, or was taken from it.
    var isEndPushed = false
    var prefetch: PrefetchMachine
    var start = StartPoint(index: 0)
    var display = DisplayedState()
    /// How much the sink had left to play at the last look.
    private(set) var delay: Duration = .zero
    /// When the renderer ran out of entries although it may write; `nil` while it has some.
    var starvingSince: Duration?
    /// How often the sink has reported another device since the last second of sound.
    var deviceChanges = 0
    /// How long a file's source has delivered nothing although the player waits for it, counted in
    /// ticks.
    private var silence: Duration = .zero
    private var sinkWatch = SinkWatch()
    /// Whether the sink was open since the start: only then does the player wait for a missing
    /// device.
    private(set) var hasHadDevice = false
    /// The lag of the heard station; `nil` if none is heard.
    private var lag: LiveLag?
    /// The lag that remains after a skip, for the continuing run.
    private var lagLeft: LiveLag?
    /// How much own lag a station may have.
    private let allowedLag: Duration
    /// The time of the last look at the sound, and how much was heard then.
    private var lastLook: (time: Duration, heard: Duration)?
    /// The effects to perform, in this order.
    private var effects: [PlayerEffect] = []

    init(
        limits: QueueLimits,
        prefetchLead: Duration? = nil,
        allowedLag: Duration = PlayerOptions().allowedLag
    ) {
        self.limits = limits
        self.allowedLag = allowedLag
        self.prefetch = PrefetchMachine(lead: prefetchLead)
        self.queue = PacketQueue(limits: limits)
    }

    /// Everything that an observer can see.
    var snapshot: PlayerSnapshot {
        var snapshot = self.display.snapshot
        snapshot.itemNames = self.items.names
        snapshot.itemIndex = self.display.item.flatMap { self.items.index(of: $0) }
        snapshot.state = self.machine.state
        snapshot.stopReason = self.machine.stopReason
        snapshot.failure = self.machine.failure
        snapshot.generation = self.machine.generation
        snapshot.underruns = self.machine.underruns
        snapshot.position = self.ledger.position
        snapshot.positionPrecision = self.ledger.precision
        snapshot.buffered = .seconds(self.queue.seconds) + self.delay
        snapshot.bufferTarget = .seconds(self.machine.bufferTarget)
        snapshot.behindLive = self.behindLive
        return snapshot
    }

    // MARK: Decisions

    /// Lets the machine decide on a command.
    mutating func command(
        _ command: (inout PlayerMachine) -> (PlayerAnswer, [PlayerEffect])
    ) -> PlayerAnswer {
        let (answer, effects) = command(&self.machine)
        self.arrange(effects)
        return answer
    }

    /// Lets the machine decide on an event.
    mutating func decide(_ event: (inout PlayerMachine) -> [PlayerEffect]) {
        self.arrange(event(&self.machine))
    }

    /// Plays from the beginning of an item.
    ///
    /// - Parameters:
    ///   - items: the new items; `nil`: the current ones.
    ///   - index: the item's index.
    ///   - buffer: how much sound is gathered first.
    /// - Returns: the answer.
    mutating func play(
        _ items: [PlayerItem]? = nil,
        at index: Int,
        buffer: BufferPolicy
    ) -> PlayerAnswer {
        let (answer, effects) = self.machine.start(buffer: buffer)
        if let items { self.items.replace(with: items) }
        let item = self.items.entries[index].item
        var shown = max(.zero, item.start)
        if case .station = item.content { shown = .zero }
        self.start = StartPoint(index: index, shown: shown)
        self.display.concealed = 0
        self.deviceChanges = 0
        self.hasHadDevice = false
        self.arrange(effects)
        return answer
    }

    /// Continues at another position; refuses if `start` is `nil`.
    mutating func seek(to start: StartPoint?) -> PlayerAnswer {
        guard let start else { return .refused("There is nothing to seek to") }
        let (answer, effects) = self.machine.seek()
        if answer == .done { self.start = start }
        self.arrange(effects)
        return answer
    }

    /// Opens the sink again, and continues the sound where it was.
    mutating func changeDevice() {
        self.start = self.here
        self.decide { $0.deviceChanged() }
    }

    /// The sink is open.
    mutating func sinkOpened() {
        self.hasHadDevice = true
        _ = self.sinkWatch.answered()
        self.decide { [run] in $0.sinkOpened(run.generation) }
    }

    /// The sink's device has disappeared.
    mutating func deviceIsAway(_ failure: PlayerFailure) {
        _ = self.sinkWatch.answered()
        self.decide { [run] in $0.deviceIsAway(failure, run.generation) }
    }

    /// A call of the sink begins; it returns when its work is done.
    mutating func askedSink() { self.sinkWatch.asked() }

    /// The call of the sink is done.
    mutating func sinkAnswered() { self.tell(self.sinkWatch.answered()) }

    /// Records a look at a paced sink, a tick after the last look.
    mutating func looked(atDelay delay: Duration, tick: Duration) {
        let isSounding = self.machine.isSounding
        self.tell(self.sinkWatch.looked(delay: delay, tick: tick, isSounding: isSounding))
    }

    private mutating func tell(_ finding: SinkWatch.Finding?) {
        switch finding {
        case .stuck:
            let words = "The sound waits for its device, which has played nothing for a while."
            self.decide { [run] in $0.deviceIsAway(PlayerFailure(.sink, words), run.generation) }
        // A sink that is not open yet reports its opening itself.
        case .movesAgain where self.hasHadDevice: self.sinkOpened()
        case .movesAgain, nil: break
        }
    }

    /// Records a tick of waiting for a file's source; a station reports the state of its connection
    /// itself.
    mutating func waitedForSource(_ tick: Duration) {
        let isWaiting = self.machine.isWaitingForSource && !self.display.isLive
        self.silence = isWaiting ? self.silence + tick : .zero
        guard self.silence >= Self.silencePatience else { return }
        let name = self.display.item.map { "\(self.name(of: $0)): " } ?? ""
        let words = "\(name)no sound has arrived for a while; Weir waits for it."
        self.decide { [run] machine in
            machine.sourceFellSilent(PlayerFailure(.source, words), run.generation)
        }
    }

    /// The source has delivered packets.
    mutating func sourceGave() { self.silence = .zero }

    /// An item cannot be played: the next one is played, or the player stops.
    mutating func failed(_ failure: PlayerFailure, of id: ItemID) {
        self.tellFailed(failure, of: id)
        guard let index = self.items.index(of: id), self.items.indices.contains(index + 1) else {
            return self.decide { [run] in $0.failed(failure, run.generation) }
        }
        self.start = StartPoint(index: index + 1)
        self.decide { $0.seek().1 }
    }

    /// Reports that an item could not be played, or not to its end.
    func tellFailed(_ failure: PlayerFailure, of id: ItemID) {
        guard let index = self.items.index(of: id) else { return }
        self.events.tell(.itemFailed(index: index, failure))
    }

    /// All fed sound was heard: the player plays the items added meanwhile, or stops.
    mutating func finished(with failure: PlayerFailure?) {
        if let last = self.fed.last, let index = self.items.index(of: last),
            self.items.indices.contains(index + 1)
        {
            self.start = StartPoint(index: index + 1)
            return self.decide { $0.seek().1 }
        }
        self.decide { [run] machine in
            if let failure { return machine.failed(failure, run.generation) }
            return machine.finished(run.generation)
        }
    }

    /// The state of a station's connection changed.
    mutating func changed(_ status: StationStatus) {
        self.display.station = status
        self.events.tell(.stationChanged(status))
        let isLost = status.phase != .live && status.reason != nil
        self.decide { [run] in $0.connectionChanged(isLost: isLost, run.generation) }
        self.publish()
    }

    /// Reports a changed state to the observers, and a new snapshot.
    mutating func publish() {
        let now = (self.machine.state, self.machine.stopReason, self.machine.failure)
        if self.display.told.map({ $0 == now }) != true {
            self.display.told = now
            self.events.tell(.stateChanged(now.0, now.1, now.2))
        }
        self.snapshots.tell(self.snapshot)
    }

    /// Performs the parts of effects that concern only the store, and collects the other effects.
    private mutating func arrange(_ effects: [PlayerEffect]) {
        for effect in effects {
            switch effect {
            case .begin(let generation):
                self.fed = []
                self.isEndPushed = false
                self.perform(self.prefetch.interrupted())
                self.queue = PacketQueue(limits: self.limits)
                self.ledger.restart(at: self.start.shown)
                self.delay = .zero
                self.silence = .zero
                self.sinkWatch = SinkWatch()
                self.starvingSince = nil
                self.lag = nil
                self.lagLeft = nil
                self.lastLook = nil
                self.run = PlayerRun(generation: generation)
                self.display.begin(self.start, self.items)
                self.effects.append(effect)
            case .publish: self.publish()
            case .openGate: self.run.work.raise()
            case .closeGate: break
            case .release:
                self.perform(self.prefetch.interrupted())
                self.effects.append(effect)
            case .pauseSink, .resumeSink, .setGain, .prefetch, .cancelPrefetch:
                self.effects.append(effect)
            }
        }
    }

    /// Collects an effect, to be performed after those already collected.
    mutating func collect(_ effect: PlayerEffect) { self.effects.append(effect) }

    /// Returns and clears the collected effects.
    mutating func takeEffects() -> [PlayerEffect] {
        defer { self.effects = [] }
        return self.effects
    }

    // MARK: The heard sound

    /// Updates position and marks.
    ///
    /// - Parameters:
    ///   - delay: how much the sink has left to play.
    ///   - gain: the factor by which the sink multiplies the heard levels.
    ///   - now: the time since a fixed moment, at a look; `nil` between two looks.
    /// - Returns: whether new sound is heard.
    mutating func hear(delay: Duration, gain: Float = 1, now: Duration? = nil) -> Bool {
        self.delay = delay
        let before = self.ledger.position
        let title = self.display.title
        let due = self.ledger.advance(delay: delay)
        for (mark, position) in due { self.heard(mark, at: position, gain: gain) }
        if self.ledger.heard >= .seconds(1) { self.deviceChanges = 0 }
        // A skip waits for a change of the title, unless there is no title.
        let isBetweenTitles = self.display.title != title || title == PlayerTitle()
        if let now { self.catchUp(isBetweenTitles: isBetweenTitles, now: now) }
        return before != self.ledger.position || !due.isEmpty
    }

    /// Skips sound, and reports it, when a station is heard too late because of own lag.
    private mutating func catchUp(isBetweenTitles: Bool, now: Duration) {
        let heard = self.ledger.heard
        defer { self.lastLook = (now, heard) }
        guard let last = self.lastLook, let behind = self.behindLive else { return }
        let passing = self.passing(now - last.time, heard: heard - last.heard)
        self.lag?.passed(now - last.time, passing, behind: behind, heard: heard)
        guard isBetweenTitles, let lag = self.lag, let excess = lag.excess(behind: behind) else {
            return
        }
        let position = self.ledger.position
        let answer = self.seek(
            to: StartPoint(
                index: self.index,
                location: .behindLive(behind - excess),
                shown: position
            )
        )
        guard answer == .done else { return }
        self.lagLeft = lag.givenUp(excess, after: .zero)
        self.events.tell(.skipped(excess, at: position))
    }

    /// The state of the sound since the last look.
    private func passing(_ time: Duration, heard: Duration) -> LiveLag.Passing {
        switch self.machine.state {
        case .paused: return .paused
        // A sink takes sound in large pieces, so less than a second is no halt. A program that
        // stood still made no look meanwhile, so a halt of the program shows in this difference.
        case .playing: return time - heard >= .seconds(1) ? .stalled : .heard
        default:
            let isThere = self.display.station?.phase == .live
            return self.machine.isWaitingForSource && isThere ? .starved : .stalled
        }
    }

    private mutating func heard(_ mark: RenderMark, at position: Duration, gain: Float) {
        switch mark {
        case .item(let item):
            self.display.show(item)
            let fresh = LiveLag(after: self.ledger.heard, allowed: self.allowedLag)
            self.lag = item.isLive ? self.lagLeft ?? fresh : nil
            self.lagLeft = nil
            // A change of the order no longer affects the items before this one.
            if let place = self.fed.firstIndex(of: item.id) { self.fed.removeFirst(place) }
            guard let index = self.items.index(of: item.id) else { return }
            self.events.tell(.itemStarted(index: index, name: item.name))
        case .title(let title, let sample):
            guard self.display.title != title else { return }
            self.display.title = title
            self.events.tell(
                .titleChanged(
                    title: title.title,
                    artist: title.artist,
                    album: title.album,
                    at: position,
                    sample: sample
                )
            )
        case .format(let format, let pcm):
            let isNew = self.display.pcm != pcm || self.display.format?.codec != format.codec
            self.display.format = format
            self.display.pcm = pcm
            if isNew { self.events.tell(.formatChanged(format, pcm, at: position)) }
        case .level(let level): self.display.level = level.scaled(by: gain)
        case .concealed(let error):
            self.display.concealed += 1
            self.events.tell(.concealed(error, at: position))
        case .skipped(let time): self.events.tell(.skipped(time, at: position))
        }
    }
}
