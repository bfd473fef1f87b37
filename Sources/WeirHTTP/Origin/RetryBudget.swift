// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The failures of a resource that are not made up for yet, counted by all its readings together.
///
/// Bytes make up for failures, answers do not: an origin that answers each request with a byte would be asked for ever.
struct RetryBudget: Hashable {
    /// Bytes that are always progress, however much is left.
    private static let sufficientCount: Int64 = 16 << 10
    /// The same, where the length is unknown.
    private static let sufficientCountOfUnknown: Int64 = 1_000
    /// A tenth of what was left is progress, too.
    private static let sufficientShare: Int64 = 10

    /// Failures in a row.
    private(set) var failures = 0
    /// Bytes that came since the last one.
    private var progress: Int64 = 0
    /// When the first of them happened, where the time is told.
    private var start: Duration?
    /// The pauses that were made because of them.
    private var pauses = Duration.zero
    /// Until when no request should be sent; failures before that belong to the last one.
    private var pausedUntil: Duration?

    /// Whether bytes are worth a request.
    ///
    /// - Parameters:
    ///   - count: how many came.
    ///   - left: how many are wanted after them, if that is known.
    /// - Returns: whether they are enough to go on without a pause.
    static func isProgress(_ count: Int64, before left: Int64?) -> Bool {
        if count >= Self.sufficientCount { return true }
        guard count > 0 else { return false }
        guard let left else { return count >= Self.sufficientCountOfUnknown }
        return left <= count * (Self.sufficientShare - 1)
    }

    /// Wanted bytes came.
    mutating func progressed(by count: Int64, before left: Int64?) {
        guard self.failures > 0 else { return }
        self.progress += min(max(0, count), .max - self.progress)
        guard Self.isProgress(self.progress, before: left) else { return }
        self.failures = 0
        self.progress = 0
        self.start = nil
        self.pauses = .zero
        self.pausedUntil = nil
    }

    /// A request failed, and none should be sent for a while.
    mutating func failed(at now: Duration?, pause: Duration) {
        if self.failures == 0 { self.start = now }
        self.failures += 1
        self.pauses += pause
        self.progress = 0
        self.pausedUntil = now.map { $0 + pause }
    }

    /// For how long there have been failures; the time of the pauses where no time is told.
    func duration(at now: Duration?) -> Duration {
        guard let now, let start else { return self.pauses }
        return now - start
    }

    /// What is left of the present pause; `nil` if there is none, or no time is told.
    func pause(at now: Duration?) -> Duration? {
        guard let now, let pausedUntil, now < pausedUntil else { return nil }
        return pausedUntil - now
    }
}
