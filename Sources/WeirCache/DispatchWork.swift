// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import WeirSource

/// The cache's serial dispatch queue, and the lanes, which share some threads.
struct DispatchWork: SerialWork {
    /// How many lanes run at the same time.
    static let width = 8

    private let queue = DispatchQueue(label: "weir.cache", qos: .utility)
    private let lanes = Lanes(label: "weir.cache.lane")
    private let writes = Lanes(label: "weir.cache.writes")

    func enqueue(_ work: @escaping @Sendable () -> Void) {
        self.queue.async(execute: work)
    }

    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
        self.queue.asyncAfter(deadline: Self.time(after: delay), execute: work)
    }

    func perform<Result>(_ work: () -> Result) -> Result {
        self.queue.sync(execute: work)
    }

    func wait(atMost limit: Duration) -> Bool {
        let isDone = DispatchSemaphore(value: 0)
        self.queue.async { isDone.signal() }
        return isDone.wait(timeout: Self.time(after: limit)) == .success
    }

    func enqueue(in lane: GenerationID, _ work: @escaping @Sendable () -> Void) {
        self.lanes.add(work, to: lane)
    }

    func enqueue(
        in lane: GenerationID,
        after delay: Duration,
        _ work: @escaping @Sendable () -> Void
    ) {
        self.lanes.add(work, to: lane, at: Self.time(after: delay))
    }

    func enqueue(writesOf lane: GenerationID, _ work: @escaping @Sendable () -> Void) {
        self.writes.add(work, to: lane)
    }

    func finishLanes() {
        self.writes.finish()
        self.lanes.finish()
    }

    private static func time(after delay: Duration) -> DispatchTime {
        let (seconds, attoseconds) = delay.components
        let nanoseconds = Int(clamping: seconds)
            .multipliedClamped(by: 1_000_000_000)
            .addingClamped(Int(clamping: attoseconds / 1_000_000_000))
        return .now() + .nanoseconds(nanoseconds)
    }

    /// Runs the work that a ``LanePlan`` starts.
    ///
    /// Each piece of work runs on a serial queue, which has its own thread. Concurrent queues would
    /// share as many threads as there are processors. When these threads wait for a disk, the
    /// system adds another thread only after a second.
    private final class Lanes: Sendable {
        private typealias Work = @Sendable () -> Void

        private struct State {
            var plan = LanePlan<GenerationID, Work>(width: DispatchWork.width)
            var free: [DispatchQueue]
        }

        private let state: Mutex<State>
        /// The work that was added and has not ended.
        private let unfinished = DispatchGroup()
        /// Adds delayed work to its lane when the work is due; runs no work itself.
        private let timers = DispatchQueue(label: "weir.cache.timers", qos: .userInitiated)

        init(label: String) {
            self.state = Mutex(
                State(
                    free: (0..<DispatchWork.width).map { number in
                        DispatchQueue(label: "\(label).\(number)", qos: .userInitiated)
                    }
                )
            )
        }

        func add(_ work: @escaping @Sendable () -> Void, to lane: GenerationID) {
            self.unfinished.enter()
            self.run { $0.plan.added(work, to: lane) }
        }

        func add(
            _ work: @escaping @Sendable () -> Void,
            to lane: GenerationID,
            at time: DispatchTime
        ) {
            self.timers.asyncAfter(deadline: time) { self.add(work, to: lane) }
        }

        func finish() {
            self.unfinished.wait()
        }

        /// Starts the work that an event allows.
        ///
        /// A queue is free for the work, since at most `width` pieces run.
        private func run(_ event: (inout State) -> LanePlan<GenerationID, Work>.Start?) {
            let next = self.state.withLock { state in
                event(&state).map { start in (start, state.free.popLast()) }
            }
            guard let (start, queue) = next, let queue else { return }
            queue.async {
                start.work()
                self.unfinished.leave()
                self.run { state in
                    state.free.append(queue)
                    return state.plan.ended(start.lane)
                }
            }
        }
    }
}
