// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Limits the wait for a connection slot, then for a connection, then for the response's first
/// byte.
final class AnswerTimer: Sendable {
    private enum Phase {
        case connecting(since: Duration)
        case held(since: Duration)
        case queued(since: Duration, connections: Int, isTold: Bool)
        case sent(at: Duration)
    }

    typealias TellSilence = @Sendable (_ time: Duration, _ limit: Duration) -> Void

    /// How long a request waits for a slot before the timer reports the wait.
    private static let quietWait = Duration.seconds(1)

    private let timeouts: HTTPOrigin.Timeouts
    private let timeline: Timeline
    private let tellWait: @Sendable (_ connections: Int) -> Void
    private let tellSilence: TellSilence?
    private let phase: Mutex<Phase>
    /// The notices of the phase that began at `start`.
    private let notices = Mutex<(start: Duration, notices: WaitNotices)?>(nil)

    /// - Parameters:
    ///   - timeouts: the limits.
    ///   - timeline: measures time.
    ///   - tellWait: called once if the wait for a slot lasts, with the number of slots.
    ///   - tellSilence: called while the host does not accept a connection or does not respond,
    ///     with the elapsed time and the limit; `nil` for no reports and no timer for them.
    init(
        _ timeouts: HTTPOrigin.Timeouts,
        on timeline: Timeline,
        tellWait: @escaping @Sendable (_ connections: Int) -> Void = { _ in },
        tellSilence: TellSilence? = nil
    ) {
        self.timeouts = timeouts
        self.timeline = timeline
        self.tellWait = tellWait
        self.tellSilence = tellSilence
        self.phase = Mutex(.connecting(since: timeline.elapsed()))
    }

    /// Begins the wait for the host's limit of requests per second.
    func held() {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            if case .connecting = phase { phase = .held(since: now) }
        }
    }

    /// Begins the wait for one of the host's connections, which are all in use.
    func queued(_ connections: Int) {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            switch phase {
            case .connecting, .held:
                phase = .queued(since: now, connections: connections, isTold: false)
            case .queued, .sent: break
            }
        }
    }

    /// Ends the wait that ``held()`` or ``queued(_:)`` began: the request has a connection slot.
    func granted() {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            switch phase {
            case .queued, .held: phase = .connecting(since: now)
            case .connecting, .sent: break
            }
        }
    }

    /// Begins the wait for the response: the connection is open, and the request's head is sent.
    func requestSent() {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            if case .sent = phase { return }
            phase = .sent(at: now)
        }
    }

    /// Waits until a time limit is exceeded.
    ///
    /// - Throws: ``HTTPTransportError`` with `heldTooLong`, `slotTimedOut`, `connectTimedOut` or
    ///   `firstByteTimedOut`; `CancellationError`.
    func expire() async throws {
        while true {
            // Sleeps no longer than the limit of any later phase: the phase may change at any
            // moment.
            try await self.timeline.sleep(min(try self.left(), self.timeouts.firstByte))
        }
    }

    /// The time until the next check, at most the time left for the present phase.
    private func left() throws -> Duration {
        let now = self.timeline.elapsed()
        let (timeouts, phase) = (self.timeouts, self.phase.withLock { $0 })
        switch phase {
        case .sent(let time):
            let left = try Self.rest(time + timeouts.firstByte - now) {
                .init(.firstByteTimedOut, "no answer for \(timeouts.firstByte.inSeconds)")
            }
            return min(left, self.notice(since: time, limit: timeouts.firstByte, at: now))
        case .connecting(let time):
            let left = try Self.rest(time + timeouts.connect - now) {
                .init(.connectTimedOut, "no connection for \(timeouts.connect.inSeconds)")
            }
            return min(left, self.notice(since: time, limit: timeouts.connect, at: now))
        case .held(let time):
            let left = try Self.rest(time + timeouts.slot - now) {
                .init(.heldTooLong, "it waited \(timeouts.slot.inSeconds) for its turn")
            }
            return min(left, timeouts.connect)
        case .queued(let time, let connections, let isTold):
            let quiet = time + Self.quietWait - now
            if !isTold, quiet <= .zero, self.isToldNow() { self.tellWait(connections) }
            let left = try Self.rest(time + timeouts.slot - now) {
                .init(
                    .slotTimedOut,
                    "it waited \(timeouts.slot.inSeconds) for one of \(connections) connections"
                )
            }
            // The request may get its slot at any moment; then the limit for the connection counts.
            return min(quiet > .zero ? quiet : left, left, timeouts.connect)
        }
    }

    /// Reports the host's silence if a report is due.
    ///
    /// - Returns: the time to the next notice; the limit if there are no reports.
    private func notice(since start: Duration, limit: Duration, at now: Duration) -> Duration {
        guard let tellSilence else { return limit }
        let (isDue, next) = self.notices.withLock { state in
            var notices = state?.start == start ? state?.notices ?? .init() : .init()
            defer { state = (start, notices) }
            return notices.waited(now - start)
        }
        if isDue { tellSilence(now - start, limit) }
        return next
    }

    /// Whether the caller must report the wait; true once.
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

extension HTTPTransport {
    /// Sends a request within time limits, and reports its events to an observer.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - range: the requested bytes; only for the report.
    ///   - timeouts: the limits.
    ///   - timeline: measures time.
    ///   - observer: receives the request, waits before it is sent, and the response.
    ///   - limits: further limits, which end the wait by throwing.
    /// - Returns: the response.
    /// - Throws: the errors of ``send(_:)`` and ``AnswerTimer/expire()``; the error of a limit.
    func send(
        _ request: HTTPTransportRequest,
        for range: RequestedRange? = nil,
        within timeouts: HTTPOrigin.Timeouts,
        on timeline: Timeline,
        telling observer: SourceObserver?,
        against limits: [@Sendable () async throws -> Void] = []
    ) async throws -> HTTPTransportResponse {
        let host = request.url.authority
        let tellSilence = observer.map { observer -> AnswerTimer.TellSilence in
            { observer(.silent(host: host, hasAnswered: false, for: $0, limit: $1)) }
        }
        let timer = AnswerTimer(
            timeouts,
            on: timeline,
            tellWait: { observer?(.waitingForConnection(host: host, limit: $0)) },
            tellSilence: tellSilence
        )
        var timed = request
        timed.whenSent = { timer.requestSent() }
        timed.whenHeld = {
            timer.held()
            observer?(.requestHeld(host: host))
        }
        timed.whenQueued = { timer.queued($0) }
        timed.whenGranted = { timer.granted() }
        let asked = timed
        let start = timeline.elapsed()
        observer?(.requested(host: host, range: range))
        let response = try await Task.race(
            { try await self.send(asked) },
            against: [timer.expire] + limits
        )
        let wait = timeline.elapsed() - start
        observer?(.answered(host: host, status: response.status, after: wait))
        return response
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

extension Task where Success == Never, Failure == Never {
    /// Does work that ends early when a limit throws.
    ///
    /// All tasks are children of this call and have ended when it returns.
    ///
    /// - Parameters:
    ///   - work: returns soon after its cancellation.
    ///   - limits: each ends by throwing, or after its cancellation.
    /// - Returns: the result of the work.
    /// - Throws: the error of the work or of a limit; `CancellationError`.
    static func race<Result: Sendable>(
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
            throw _Concurrency.CancellationError()
        }
    }
}
