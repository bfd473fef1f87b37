// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One call's view of the `Progress` that its caller gave: how far the work is, and whether it is still wanted.
///
/// Without a `Progress` nothing is reported, and only the calling task cancels the work.
struct ProgressReport: Sendable {
    /// What the caller watches.
    let progress: Progress?

    /// Reports the length of the whole, in bytes; `nil` while it is unknown, which makes the progress indeterminate.
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
    /// An empty medium counts as one unit, since a `Progress` of none never ends.
    func finish(_ count: Int64) {
        self.expect(max(1, count))
        self.reach(max(1, count))
    }

    /// Does the work until it ends, the calling task is cancelled or the progress is cancelled.
    ///
    /// The handler of the progress is called as before, too. It is the only handler again at the end, unless the progress
    /// was cancelled.
    ///
    /// - Throws: what the work throws; `CancellationError` at once if the progress was cancelled before.
    func perform<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        guard let progress else { return try await work() }
        guard !progress.isCancelled else { throw CancellationError() }
        // Owned by this call, which waits for its end; cancelled with the calling task, and by the progress.
        let task = Task { try await work() }
        let before = progress.cancellationHandler
        progress.cancellationHandler = {
            before?()
            task.cancel()
        }
        defer {
            // A cancelled progress calls each handler that it is given: this one would be called twice.
            if !progress.isCancelled { progress.cancellationHandler = before }
        }
        // It may have been cancelled while it had no handler.
        if progress.isCancelled { task.cancel() }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
