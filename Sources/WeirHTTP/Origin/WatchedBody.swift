// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A body that ends with an error when a consumer has waited too long for its next byte.
///
/// Only the time in which the consumer waits counts, not a pause of the consumer.
final class WatchedBody: HTTPBody {
    private let body: any HTTPBody
    private let limit: Duration
    private let timeline: Timeline
    private let observer: SourceObserver?
    private let wait: Wait
    private let watchdog: Task<Void, Never>

    /// The start of the consumer's wait, and whether the wait has exceeded the limit.
    ///
    /// A separate object, so that the watchdog does not keep the body alive.
    private final class Wait: Sendable {
        let state = Mutex<(since: Duration?, hasExpired: Bool)>((nil, false))
    }

    /// - Parameters:
    ///   - body: the body.
    ///   - host: the sender, for notices.
    ///   - limit: how long a consumer may wait for its next byte.
    ///   - timeline: measures the wait.
    ///   - observer: receives notices of bytes and of long waits.
    init(
        _ body: any HTTPBody,
        of host: String,
        limit: Duration,
        timeline: Timeline,
        observer: SourceObserver?
    ) {
        self.body = body
        self.limit = limit
        self.timeline = timeline
        self.observer = observer
        let wait = Wait()
        self.wait = wait
        // Owner: this object. Ends: when the consumer has waited too long, or when this object
        // cancels the task: at the end of the body, in `cancel()` or in `deinit`.
        self.watchdog = Task {
            let tell = observer.map { observer in
                { observer(.silent(host: host, hasAnswered: true, for: $0, limit: limit)) }
            }
            await Self.watch(wait, body: body, limit: limit, timeline: timeline, tellSilence: tell)
        }
    }

    deinit {
        self.watchdog.cancel()
        self.body.cancel()
    }

    func next() async throws -> ByteMemory? {
        let now = self.timeline.elapsed()
        self.wait.state.withLock { $0.since = now }
        defer { self.wait.state.withLock { $0.since = nil } }
        do {
            guard let memory = try await self.body.next() else {
                self.watchdog.cancel()
                return nil
            }
            self.observer?(.received(byteCount: memory.count))
            return memory
        } catch {
            self.watchdog.cancel()
            guard error is CancellationError, self.wait.state.withLock({ $0.hasExpired }) else {
                throw error
            }
            throw HTTPTransportError(.idleTimedOut, "no byte for \(self.limit.inSeconds)")
        }
    }

    func cancel() {
        self.watchdog.cancel()
        self.body.cancel()
    }

    private static func watch(
        _ wait: Wait,
        body: any HTTPBody,
        limit: Duration,
        timeline: Timeline,
        tellSilence: ((Duration) -> Void)?
    ) async {
        var start: Duration?
        var notices = WaitNotices()
        while true {
            let now = timeline.elapsed()
            let since = wait.state.withLock { state in
                if let since = state.since, since + limit <= now { state.hasExpired = true }
                return state.since
            }
            if start != since { (start, notices) = (since, WaitNotices()) }
            // A consumer may begin to wait at any moment, and its first notice is due `patience`
            // later.
            var pause = tellSilence == nil ? limit : min(limit, WaitNotices.patience)
            if let since {
                guard since + limit > now else { return body.cancel() }
                pause = since + limit - now
                if let tellSilence {
                    let (isDue, next) = notices.waited(now - since)
                    if isDue { tellSilence(now - since) }
                    pause = min(pause, next)
                }
            }
            guard (try? await timeline.sleep(pause)) != nil else { return }
        }
    }
}
