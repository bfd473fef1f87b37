// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

@testable import WeirCache

/// A cache's queue, whose work and time a test controls.
///
/// Work for lanes is in the same queue, which is one of the orders that lanes allow.
final class ManualWork: SerialWork {
    private struct Timer {
        var due: Duration
        var work: @Sendable () -> Void
    }

    private struct State {
        var now = Duration.zero
        var pending: [@Sendable () -> Void] = []
        var timers: [Timer] = []
        var isHung = false
        var waitCount = 0
    }

    private let state = Mutex(State())

    /// How many pieces of work wait.
    var pendingCount: Int { self.state.withLock { $0.pending.count } }

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        self.state.withLock { $0.pending.append(work) }
    }

    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        self.state.withLock { state in
            state.timers.append(Timer(due: state.now + delay, work: work))
        }
    }

    func enqueue(in lane: GenerationID, _ work: @escaping @Sendable () -> Void) {
        self.enqueue(work)
    }

    func enqueue(
        in lane: GenerationID,
        after delay: Duration,
        _ work: @escaping @Sendable () -> Void
    ) {
        self.enqueue(after: delay, work)
    }

    func enqueue(writesOf lane: GenerationID, _ work: @escaping @Sendable () -> Void) {
        self.enqueue(work)
    }

    func finishLanes() {
        self.runAll()
    }

    func perform<Result>(_ work: () -> Result) -> Result {
        self.runAll()
        return work()
    }

    func wait(atMost limit: Duration) -> Bool {
        let isHung = self.state.withLock { state in
            state.waitCount += 1
            return state.isHung
        }
        if !isHung { self.runAll() }
        return !isHung
    }

    /// Lets later limited waits end without the work, as behind a disk that has stopped.
    func hang() {
        self.state.withLock { $0.isHung = true }
    }

    /// How many limited waits there were.
    var waitCount: Int { self.state.withLock { $0.waitCount } }

    /// Runs the first waiting piece of work.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    func runOne() -> Bool {
        let work = self.state.withLock { $0.pending.isEmpty ? nil : $0.pending.removeFirst() }
        work?()
        return work != nil
    }

    /// Runs the piece of work that was added last, as a lane may.
    func runLast() {
        self.state.withLock { $0.pending.popLast() }?()
    }

    /// Runs work until the queue is empty.
    func runAll() {
        while self.runOne() {}
    }

    /// Advances the time, and runs waiting work and work that becomes due.
    func advance(by duration: Duration) {
        self.state.withLock { state in
            state.now += duration
            let now = state.now
            let due = state.timers.filter { $0.due <= now }.sorted { $0.due < $1.due }
            state.timers.removeAll { $0.due <= now }
            state.pending.append(contentsOf: due.map(\.work))
        }
        self.runAll()
    }
}
