// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Limits how long the wait for a slot among the connections to a host may take, then how long a connection may,
/// and then how long the answer's first byte may.
final class AnswerTimer: Sendable {
    private enum Phase {
        case connecting(since: Duration)
        case held(since: Duration)
        case queued(since: Duration, connections: Int, isTold: Bool)
        case sent(at: Duration)
    }

    typealias TellSilence = @Sendable (_ time: Duration, _ limit: Duration) -> Void

    /// How long a request waits for a slot before that is told.
    private static let quietWait = Duration.seconds(1)

    private let timeouts: HTTPOrigin.Timeouts
    private let timeline: Timeline
    private let tellWait: @Sendable (_ connections: Int) -> Void
    private let tellSilence: TellSilence?
    private let phase: Mutex<Phase>
    /// Of the phase that began at a time.
    private let notices = Mutex<(start: Duration, notices: WaitNotices)?>(nil)

    /// - Parameters:
    ///   - timeouts: the limits.
    ///   - timeline: measures them.
    ///   - tellWait: called once if the wait for a slot lasts, with how many there are.
    ///   - tellSilence: called while the host does not accept a connection or does not answer, with the time that has
    ///     passed and the limit; `nil`: nobody is told, and no timer runs for it.
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

    /// The host may be sent only so many requests a second.
    func held() {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            if case .connecting = phase { phase = .held(since: now) }
        }
    }

    /// All connections to the host are in use.
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

    /// A connection is free, and this request has it.
    func granted() {
        let now = self.timeline.elapsed()
        self.phase.withLock { phase in
            switch phase {
            case .queued, .held: phase = .connecting(since: now)
            case .connecting, .sent: break
            }
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
    /// - Throws: ``HTTPTransportError`` with `heldTooLong`, `slotTimedOut`, `connectTimedOut` or `firstByteTimedOut`;
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
            // It may connect any moment; then the other limit counts.
            return min(quiet > .zero ? quiet : left, left, timeouts.connect)
        }
    }

    /// Tells that the host is silent, where that is due.
    ///
    /// - Returns: how long it is to the next notice, and no longer than the limit.
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

    /// Whether the caller is to tell the wait; true once.
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
    /// Sends a request within time limits, and tells an observer of it.
    ///
    /// - Parameters:
    ///   - request: what is asked.
    ///   - range: the bytes that it asks for; told alone.
    ///   - timeouts: the limits.
    ///   - timeline: measures them.
    ///   - observer: is told of the request, of waits before it is sent, and of the answer.
    ///   - limits: end the wait, too, by throwing.
    /// - Returns: the answer.
    /// - Throws: as ``send(_:)`` and ``AnswerTimer/expire()``; what a limit threw.
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
    ///   - work: returns soon when it is cancelled.
    ///   - limits: each ends by throwing, or when it is cancelled.
    /// - Returns: what the work returned.
    /// - Throws: what the work or a limit threw; `CancellationError`.
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
