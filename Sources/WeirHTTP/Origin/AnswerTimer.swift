// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Limits how long the wait for a place among the connections to a host may take, then how long a connection may,
/// and then how long the answer's first byte may.
final class AnswerTimer: Sendable {
    private enum Phase {
        case connecting(since: Duration)
        case queued(since: Duration, connections: Int, isTold: Bool)
        case sent(at: Duration)
    }

    /// How long a request waits for a place before that is told.
    private static let quietWait = Duration.seconds(1)

    private let timeouts: HTTPOrigin.Timeouts
    private let timeline: Timeline
    private let tellWait: @Sendable (_ connections: Int) -> Void
    private let phase: Mutex<Phase>

    /// - Parameters:
    ///   - timeouts: the limits.
    ///   - timeline: measures them.
    ///   - tellWait: called once if the wait for a place lasts, with how many there are.
    init(
        _ timeouts: HTTPOrigin.Timeouts,
        on timeline: Timeline,
        tellWait: @escaping @Sendable (_ connections: Int) -> Void = { _ in }
    ) {
        self.timeouts = timeouts
        self.timeline = timeline
        self.tellWait = tellWait
        self.phase = Mutex(.connecting(since: timeline.elapsed()))
    }

    /// All connections to the host are in use.
    func queued(_ connections: Int) {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            guard case .connecting = phase else { return }
            phase = .queued(since: now, connections: connections, isTold: false)
        }
    }

    /// One of them is free; this request has it.
    func placed() {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            guard case .queued = phase else { return }
            phase = .connecting(since: now)
        }
    }

    /// The connection stands, and the request's head is sent.
    func requestSent() {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            if case .sent = phase { return }
            phase = .sent(at: now)
        }
    }

    /// Waits until the time is over.
    ///
    /// - Throws: ``HTTPTransportError`` with `placeTimedOut`, `connectTimedOut` or `firstByteTimedOut`;
    ///   `CancellationError`.
    func expire() async throws {
        while true {
            // Whatever limit counts next: the phase may change any moment.
            try await self.timeline.sleep(min(try self.left(), self.timeouts.firstByte))
        }
    }

    /// How long the present phase may still take.
    private func left() throws -> Duration {
        let now = self.timeline.elapsed()
        let (timeouts, phase) = (self.timeouts, self.phase.withLock { $0 })
        switch phase {
        case .sent(let time):
            return try Self.rest(time + timeouts.firstByte - now) {
                .init(.firstByteTimedOut, "no answer for \(timeouts.firstByte.inSeconds)")
            }
        case .connecting(let time):
            return try Self.rest(time + timeouts.connect - now) {
                .init(.connectTimedOut, "no connection for \(timeouts.connect.inSeconds)")
            }
        case .queued(let time, let connections, let isTold):
            let quiet = time + Self.quietWait - now
            if !isTold, quiet <= .zero, self.isToldNow() { self.tellWait(connections) }
            let left = try Self.rest(time + timeouts.place - now) {
                .init(
                    .placeTimedOut,
                    "it waited \(timeouts.place.inSeconds) for one of \(connections) connections"
                )
            }
            // It may connect any moment; then the other limit counts.
            return min(quiet > .zero ? quiet : left, left, timeouts.connect)
        }
    }

    /// Whether the wait is to be told by whoever asks, and by nobody after.
    private func isToldNow() -> Bool {
        self.phase.withLock { phase in
            guard case .queued(let time, let connections, false) = phase else { return false }
            phase = .queued(since: time, connections: connections, isTold: true)
            return true
        }
    }

    private static func rest(
        _ left: Duration,
        _ error: () -> HTTPTransportError
    ) throws -> Duration {
        guard left > .zero else { throw error() }
        return left
    }
}

extension Duration {
    /// The duration for people: `30 s`, `0.5 s`.
    var inSeconds: String {
        let (seconds, attoseconds) = self.components
        guard attoseconds != 0 else { return "\(seconds) s" }
        return "\(Double(seconds) + Double(attoseconds) / 1e18) s"
    }
}

/// Work that ends early when something else happens.
enum Race {
    /// The result of the work, or the error of whichever throws first.
    ///
    /// All tasks are children of this call and have ended when it returns.
    ///
    /// - Parameters:
    ///   - work: returns soon when it is cancelled.
    ///   - limits: each ends by throwing, or when it is cancelled.
    /// - Returns: what the work returned.
    /// - Throws: what the work or a limit threw; `CancellationError`.
    static func run<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result,
        against limits: [@Sendable () async throws -> Void]
    ) async throws -> Result {
        try await withThrowingTaskGroup(of: Result?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            for limit in limits {
                group.addTask {
                    try await limit()
                    return nil
                }
            }
            while let outcome = try await group.next() {
                if let outcome { return outcome }
            }
            throw CancellationError()
        }
    }
}
