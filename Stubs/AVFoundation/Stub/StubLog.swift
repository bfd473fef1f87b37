// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

// Sendable: all mutable state is behind `lock`; continuations are resumed outside the lock.

/// A player's requests and the delegate's responses; one log for each asset; not Apple's.
public final class StubLog: @unchecked Sendable {
    private struct Waiter {
        let condition: @Sendable (StubLog) -> Bool
        let continuation: CheckedContinuation<Void, Never>
    }

    private let lock = NSLock()
    private var lines: [StubRequest] = []
    private var breaches: [StubViolation] = []
    private var waiters: [Waiter] = []
    private var changes = 0

    init() {}

    /// Every request, in the order of the requests.
    public var requests: [StubRequest] { lock.withLock { lines } }

    /// Every violation of the contract, in the order of detection.
    public var violations: [StubViolation] { lock.withLock { breaches } }

    /// How many bytes all requests together received before they ended.
    public var bytesDelivered: Int64 { requests.reduce(0) { $0 + $1.delivered } }

    /// How many requests are neither finished nor cancelled.
    public var runningCount: Int { requests.count { $0.end == .running } }

    /// Waits until a condition holds; it is checked now and after every change of the log.
    ///
    /// The wait has no limit: give the test a time limit.
    ///
    /// - Parameter condition: The condition; it may read the log, but must not change anything.
    public func wait(until condition: @escaping @Sendable (StubLog) -> Bool) async {
        await withCheckedContinuation { continuation in
            lock.withLock {
                waiters.append(Waiter(condition: condition, continuation: continuation))
            }
            wake()
        }
    }

    /// Waits until no request runs.
    public func waitUntilIdle() async {
        await wait { $0.runningCount == 0 }
    }

    /// Makes all waiters check again after a change outside the log.
    func touch() {
        lock.withLock { changes += 1 }
        wake()
    }

    func begin(_ wish: StubWish, asksInformation: Bool) -> Int {
        let index = lock.withLock {
            changes += 1
            lines.append(
                StubRequest(
                    offset: wish.offset,
                    length: wish.length,
                    toEnd: wish.toEnd,
                    asksInformation: asksInformation
                )
            )
            return lines.count - 1
        }
        wake()
        return index
    }

    func delivered(_ count: Int, to index: Int) {
        lock.withLock {
            lines[index].delivered += Int64(count)
            lines[index].portions += 1
            changes += 1
        }
        wake()
    }

    func end(_ index: Int, as end: StubRequest.End) {
        lock.withLock {
            lines[index].end = end
            changes += 1
        }
        wake()
    }

    func note(_ violation: StubViolation) {
        lock.withLock {
            breaches.append(violation)
            changes += 1
        }
        wake()
    }

    /// Resumes the waiters whose condition holds now.
    ///
    /// Conditions are evaluated outside the lock, since they take the lock themselves. During its check a waiter is
    /// not in the list. If the log changes meanwhile, the conditions are checked once more.
    private func wake() {
        var isMissed = true
        while isMissed {
            let (candidates, seen) = lock.withLock {
                defer { waiters = [] }
                return (waiters, changes)
            }
            var still: [Waiter] = []
            for waiter in candidates {
                if waiter.condition(self) {
                    waiter.continuation.resume()
                } else {
                    still.append(waiter)
                }
            }
            isMissed = lock.withLock {
                waiters += still
                return !still.isEmpty && changes != seen
            }
        }
    }
}
