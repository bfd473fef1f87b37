// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Runs the cache's work that may wait for a disk, never on the thread of a reader or writer.
///
/// One queue serves the catalogue, eviction and the generations that users leave. It runs one piece
/// of work after the other, in order. Each generation also has a lane for its checkpoints, which
/// runs them in order, too, and another one for its writes. Lanes run concurrently with the queue
/// and with each other. So a large file that takes a second to become durable does not delay the
/// checkpoints of other generations.
protocol SerialWork: Sendable {
    /// Runs work on the queue after all earlier work.
    func enqueue(_ work: @escaping @Sendable () -> Void)
    /// Runs work on the queue after a delay, and after all work that is then waiting.
    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void)
    /// Runs work on the queue after all earlier work, and waits for it; must not be called from the
    /// queue.
    func perform<Result>(_ work: () -> Result) -> Result
    /// Waits for all earlier work of the queue, but not longer than a limit; must not be called from
    /// the queue.
    ///
    /// - Returns: whether the work has ended.
    func wait(atMost limit: Duration) -> Bool
    /// Runs work in a generation's lane after all earlier work of the lane.
    func enqueue(in lane: GenerationID, _ work: @escaping @Sendable () -> Void)
    /// Runs work in a generation's lane after a delay, and after all work that is then waiting in
    /// the lane.
    func enqueue(
        in lane: GenerationID,
        after delay: Duration,
        _ work: @escaping @Sendable () -> Void
    )
    /// Runs a generation's writes, not behind the work of its lane, which may wait for the disk.
    func enqueue(writesOf lane: GenerationID, _ work: @escaping @Sendable () -> Void)
    /// Waits for all work that was added to lanes so far, and for all writes; must not be called
    /// from a lane.
    func finishLanes()
}

/// Decides which work runs at the same time: at most one piece of each lane, in order, and `width`
/// in all.
///
/// Pure: the owner starts each piece, and reports its end. Lanes take turns: a lane that had a turn
/// waits behind those that had none.
struct LanePlan<Lane: Hashable & Sendable, Work> {
    /// A piece of work for the owner to start.
    struct Start {
        let lane: Lane
        let work: Work
    }

    /// How many pieces may run at the same time.
    let width: Int
    private var waiting: [Lane: [Work]] = [:]
    /// The lanes with waiting work that do not run, the one that has waited longest first.
    private var turns: [Lane] = []
    private var running: Set<Lane> = []

    init(width: Int) {
        self.width = max(1, width)
    }

    /// Whether nothing runs and nothing waits.
    var isIdle: Bool { self.running.isEmpty && self.turns.isEmpty }

    /// Adds work to a lane.
    ///
    /// - Returns: the piece to start now.
    mutating func added(_ work: Work, to lane: Lane) -> Start? {
        self.waiting[lane, default: []].append(work)
        if self.waiting[lane]?.count == 1, !self.running.contains(lane) { self.turns.append(lane) }
        return self.next()
    }

    /// Notes that the work of a lane has ended.
    ///
    /// - Returns: the piece to start now.
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
