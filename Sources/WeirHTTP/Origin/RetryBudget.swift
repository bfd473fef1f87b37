// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Counts the failures since the last progress: of one reading, or of all readings of a resource.
///
/// Enough received bytes reset the count; responses do not. An origin that sends one byte per
/// response would otherwise get requests forever.
struct RetryBudget: Hashable {
    /// This many bytes always count as progress, however many are left.
    private static let sufficientCount: Int64 = 16 << 10
    /// This many bytes count as progress if the length is unknown.
    private static let sufficientCountOfUnknown: Int64 = 1_000
    /// One tenth of the bytes that were left also counts as progress.
    private static let sufficientShare: Int64 = 10

    /// Failures in a row.
    private(set) var failures = 0
    /// Bytes that arrived since the last failure.
    private var progress: Int64 = 0
    /// The time of the first failure, if times are known.
    private var start: Duration?
    /// The total of the pauses after the failures.
    private var pauses = Duration.zero
    /// The end of the current pause; failures before that time count as part of the last failure.
    private var pausedUntil: Duration?

    /// Whether bytes count as progress.
    ///
    /// - Parameters:
    ///   - count: how many bytes arrived.
    ///   - left: how many wanted bytes are left, if known.
    /// - Returns: whether they are enough to continue without a pause.
    static func isProgress(_ count: Int64, before left: Int64?) -> Bool {
        if count >= Self.sufficientCount { return true }
        guard count > 0 else { return false }
        guard let left else { return count >= Self.sufficientCountOfUnknown }
        return left <= count * (Self.sufficientShare - 1)
    }

    /// Counts wanted bytes.
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

    /// Counts a failed request and the pause after it.
    mutating func failed(at now: Duration?, pause: Duration) {
        if self.failures == 0 { self.start = now }
        self.failures += 1
        self.pauses += pause
        self.progress = 0
        self.pausedUntil = now.map { $0 + pause }
    }

    /// The time since the first failure; the total of the pauses if times are unknown.
    func duration(at now: Duration?) -> Duration {
        guard let now, let start else { return self.pauses }
        return now - start
    }

    /// The rest of the current pause; `nil` if there is no pause, or times are unknown.
    func pause(at now: Duration?) -> Duration? {
        guard let now, let pausedUntil, now < pausedUntil else { return nil }
        return pausedUntil - now
    }
}
