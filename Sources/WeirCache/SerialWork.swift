// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Where the cache does what may wait for a disk, never on the thread of a reader or writer.
///
/// There is one queue for the catalogue, eviction and what users leave: one piece of work after the other, in the
/// order in which it came. Beside it each generation has a lane for its checkpoints: one after the other there, too,
/// but beside the queue and those of other generations, so that a large file that takes a second to become durable
/// delays no other one's claims.
protocol SerialWork: Sendable {
    /// Does something on the queue when everything before it is done.
    func enqueue(_ work: @escaping @Sendable () -> Void)
    /// Does something on the queue after a delay, when everything that is then before it is done.
    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void)
    /// Does something on the queue when everything before it is done, and waits for it. Not from work itself.
    func perform<Result>(_ work: () -> Result) -> Result
    /// Does something in a generation's lane when everything before it there is done.
    func enqueue(in lane: GenerationID, _ work: @escaping @Sendable () -> Void)
    /// Does something in a generation's lane after a delay, when everything that is then before it there is done.
    func enqueue(
        in lane: GenerationID,
        after delay: Duration,
        _ work: @escaping @Sendable () -> Void
    )
    /// Waits until what was put into lanes so far is done. Not from work itself.
    func finishLanes()
}

/// Which work runs at the same time: at most one piece of each lane, in the order in which they came, and at most so
/// many of all.
///
/// Pure: its owner starts a piece and tells when it has ended. Lanes take turns: one that has had a turn waits behind
/// those that have not.
struct LanePlan<Lane: Hashable & Sendable, Work> {
    /// A piece of work that is to be started.
    struct Start {
        let lane: Lane
        let work: Work
    }

    /// How many pieces may run at the same time.
    let width: Int
    private var waiting: [Lane: [Work]] = [:]
    /// The lanes that have work and do not run, the one that has waited longest first.
    private var turns: [Lane] = []
    private var running: Set<Lane> = []

    init(width: Int) {
        self.width = max(1, width)
    }

    /// Whether nothing runs and nothing waits.
    var isIdle: Bool { self.running.isEmpty && self.turns.isEmpty }

    /// Work came.
    ///
    /// - Returns: what is to be started now.
    mutating func added(_ work: Work, to lane: Lane) -> Start? {
        self.waiting[lane, default: []].append(work)
        if self.waiting[lane]?.count == 1, !self.running.contains(lane) { self.turns.append(lane) }
        return self.next()
    }

    /// The work of a lane has ended.
    ///
    /// - Returns: what is to be started now.
    mutating func ended(_ lane: Lane) -> Start? {
        self.running.remove(lane)
        if self.waiting[lane] != nil { self.turns.append(lane) }
        return self.next()
    }

    private mutating func next() -> Start? {
        guard self.running.count < self.width, !self.turns.isEmpty else { return nil }
        let lane = self.turns.removeFirst()
        guard let work = self.waiting[lane]?.removeFirst() else { return nil }
        if self.waiting[lane]?.isEmpty == true { self.waiting[lane] = nil }
        self.running.insert(lane)
        return Start(lane: lane, work: work)
    }
}

extension LanePlan: Sendable where Work: Sendable {}

extension LanePlan.Start: Sendable where Work: Sendable {}
