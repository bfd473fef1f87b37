// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reports a call's work to the caller's `Progress`, and cancels the work with the `Progress`.
///
/// Without a `Progress` nothing is reported, and only the calling task cancels the work.
struct ProgressReport: Sendable {
    /// The `Progress` that the caller observes.
    let progress: Progress?

    /// Reports the length of the whole, in bytes; `nil` while it is unknown, which makes the
    /// progress indeterminate.
    func expect(_ length: Int64?) {
        guard let progress else { return }
        let count = length ?? -1
        if progress.totalUnitCount != count { progress.totalUnitCount = count }
    }

    /// Reports how many bytes are done.
    func reach(_ count: Int64) {
        self.progress?.completedUnitCount = count
    }

    /// Reports that everything is done.
    ///
    /// An empty medium counts as one unit, since a `Progress` with a total of 0 never finishes.
    func finish(_ count: Int64) {
        self.expect(max(1, count))
        self.reach(max(1, count))
    }

    /// Does the work until it ends, the calling task is cancelled or the progress is cancelled.
    ///
    /// A cancellation also calls the previous handler of the progress. At the end, the previous
    /// handler is set again, unless the progress was cancelled.
    ///
    /// - Throws: the errors of the work; `CancellationError` at once if the progress was cancelled
    ///   before.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let progress else { return try await work() }
        guard !progress.isCancelled else { throw CancellationError() }
        // Owned by this call, which waits for its end; the calling task and the progress can cancel
        // it.
        let task = Task { try await work() }
        let before = progress.cancellationHandler
        progress.cancellationHandler = {
            before?()
            task.cancel()
        }
        defer {
            // A cancelled progress calls a handler as soon as it is set: the previous handler would
            // run twice.
            if !progress.isCancelled { progress.cancellationHandler = before }
        }
        // The progress may have been cancelled before the handler was set.
        if progress.isCancelled { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
