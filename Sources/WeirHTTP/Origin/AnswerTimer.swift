// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization
internal import WeirSource

/// Limits how long a connection may take, and then how long the answer's first byte may.
final class AnswerTimer: Sendable {
    private let timeouts: HTTPOrigin.Timeouts
    private let timeline: Timeline
    private let start: Duration
    /// When the request was sent, since the timeline's start.
    private let sent = Mutex<Duration?>(nil)

    init(_ timeouts: HTTPOrigin.Timeouts, on timeline: Timeline) {
        self.timeouts = timeouts
        self.timeline = timeline
        self.start = timeline.elapsed()
    }

    /// The connection stands, and the request's head is sent.
    func requestSent() {
        let now = self.timeline.elapsed()
        self.sent.withLock { if $0 == nil { $0 = now } }
    }

    /// Waits until the time is over.
    ///
    /// - Throws: ``HTTPTransportError`` with `connectTimedOut` or `firstByteTimedOut`;
    ///   `CancellationError`.
    func expire() async throws {
        while true {
            let now = self.timeline.elapsed()
            if let sent = self.sent.withLock({ $0 }) {
                let left = sent + self.timeouts.firstByte - now
                guard left > .zero else {
                    throw HTTPTransportError(
                        .firstByteTimedOut,
                        "no answer for \(self.timeouts.firstByte.inSeconds)"
                    )
                }
                try await self.timeline.sleep(left)
            } else {
                let left = self.start + self.timeouts.connect - now
                guard left > .zero else {
                    throw HTTPTransportError(
                        .connectTimedOut,
                        "no connection for \(self.timeouts.connect.inSeconds)"
                    )
                }
                // The request may be sent any moment; then the other limit counts.
                try await self.timeline.sleep(min(left, self.timeouts.firstByte))
            }
        }
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
