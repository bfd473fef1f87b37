// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Signals the tasks of a reader that the reader has ended.
struct ReaderCancellation: Sendable {
    private let signal = Signal()

    /// Signals that the reader has ended; allowed from any thread, any number of times.
    func cancel() { self.signal.raise() }

    /// - Throws: `CancellationError` if the reader has ended or the calling task is cancelled.
    func check() throws {
        try Task.checkCancellation()
        if self.signal.count > 0 { throw CancellationError() }
    }

    /// Sleeps unless the reader ends.
    ///
    /// - Throws: `CancellationError`, at once, when the reader ends or the calling task is cancelled.
    func sleep(_ delay: Duration, on timeline: Timeline) async throws {
        guard delay > .zero else { return try self.check() }
        try await self.race { try await timeline.sleep(delay) }
    }

    /// Does some work unless the reader ends.
    ///
    /// - Throws: the error of the work; `CancellationError`, at once, when the reader ends or the calling task is
    ///   cancelled.
    func race(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await Task.race(work, against: [self.wait])
    }

    /// Waits until the reader ends.
    ///
    /// - Throws: `CancellationError` when the reader ends, and when the calling task is cancelled.
    func wait() async throws {
        try await self.signal.wait(after: 0)
        throw CancellationError()
    }
}
