// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Tells the tasks that work for a reader that the reader has gone.
struct ReaderCancellation: Sendable {
    private let signal = Signal()

    /// The reader has gone; from any thread, any number of times.
    func cancel() { self.signal.raise() }

    /// - Throws: `CancellationError` if the reader has gone or the calling task is cancelled.
    func check() throws {
        try Task.checkCancellation()
        if self.signal.count > 0 { throw CancellationError() }
    }

    /// Sleeps, unless the reader goes.
    ///
    /// - Throws: `CancellationError`, at once, when it goes or the calling task is cancelled.
    func sleep(_ delay: Duration, on timeline: Timeline) async throws {
        guard delay > .zero else { return try self.check() }
        try await self.race { try await timeline.sleep(delay) }
    }

    /// Waits for something, unless the reader goes.
    ///
    /// - Throws: what the work throws; `CancellationError`, at once, when the reader goes or the calling task is cancelled.
    func race(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await Task.race(work, against: [self.wait])
    }

    /// Waits until the reader goes.
    ///
    /// - Throws: `CancellationError` when it has gone, and when the calling task is cancelled.
    func wait() async throws {
        try await self.signal.wait(after: 0)
        throw CancellationError()
    }
}
