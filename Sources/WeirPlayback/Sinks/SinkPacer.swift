// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Waits as its ``SinkPace`` decides: one task writes and drains; any thread pauses, resumes and
/// discards.
///
/// It runs in the calling task and in a child task, both on the executor of the caller.
final class SinkPacer: Sendable {
    private let timeline: Timeline
    private let pace: Mutex<SinkPace>
    /// Raised when the pace was changed, or when a sleep is over.
    private let changed = Signal()

    init(capacity: Duration, clock: any Clock<Duration>) {
        self.timeline = Timeline(clock)
        self.pace = Mutex(SinkPace(capacity: capacity))
    }

    var delay: Duration {
        let now = self.timeline.elapsed()
        return self.pace.withLock { $0.delay(at: now) }
    }

    /// Takes sound when there is room; returns when there is room for as much again, or sound was
    /// dropped.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func write(_ length: Duration) async throws {
        let discards = self.pace.withLock { $0.discardCount }
        try await self.wait(unlessAfter: discards) { $0.waitForRoom(length, at: $1) }
        let now = self.timeline.elapsed()
        let isTaken = self.pace.withLock { pace in
            guard pace.discardCount == discards else { return false }
            pace.take(length, at: now)
            return true
        }
        guard isTaken else { return }
        try await self.wait(unlessAfter: discards) { $0.waitForRoom(length, at: $1) }
    }

    /// Returns when all sound was heard or dropped.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    func drain() async throws {
        let discards = self.pace.withLock { $0.discardCount }
        try await self.wait(unlessAfter: discards) { $0.wait(untilLeft: .zero, at: $1) }
    }

    func pause() {
        let now = self.timeline.elapsed()
        self.change { $0.pause(at: now) }
    }

    func resume() {
        let now = self.timeline.elapsed()
        self.change { $0.resume(at: now) }
    }

    func discard() { self.change { $0.discard() } }

    /// Drops everything, and ends a pause.
    func close() {
        let now = self.timeline.elapsed()
        self.change { pace in
            pace.discard()
            pace.resume(at: now)
        }
    }

    private func change(_ body: (inout SinkPace) -> Void) {
        self.pace.withLock { body(&$0) }
        self.changed.raise()
    }

    /// Waits for a condition, or for a new discard.
    private func wait(
        unlessAfter discards: UInt64,
        for condition: (SinkPace, Duration) -> SinkPace.Wait
    ) async throws {
        while true {
            try Task.checkCancellation()
            let seen = self.changed.count
            let now = self.timeline.elapsed()
            let wait = self.pace.withLock { pace in
                pace.discardCount == discards ? condition(pace, now) : .none
            }
            switch wait {
            case .none: return
            case .untilChanged: try await self.changed.wait(after: seen)
            case .sleep(let time): try await self.sleep(time, orChangeAfter: seen)
            }
        }
    }

    /// Returns after a time, or as soon as there is a change.
    private func sleep(_ time: Duration, orChangeAfter seen: UInt64) async throws {
        try await withThrowingTaskGroup { group in
            group.addTask {
                // The parent cancels the sleep when it no longer needs it.
                guard (try? await self.timeline.sleep(time)) != nil else { return }
                self.changed.raise()
            }
            defer { group.cancelAll() }
            try await self.changed.wait(after: seen)
        }
    }
}
