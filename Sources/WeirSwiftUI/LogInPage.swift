// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A page in the browser of the system, which ends once.
@MainActor
protocol LogInPage: AnyObject {
    /// Shows it; `false` if the system refuses.
    func start() -> Bool
    /// Closes it.
    func cancel()
}

extension LogInPage {
    /// Shows a page, and waits for its end; closes it if the task is cancelled.
    ///
    /// - Parameter make: makes the page, which is given what to call when it ends: from any thread, and more than once
    ///   without harm.
    /// - Returns: the address that it ended at.
    /// - Throws: what the page ended with; ``/WeirSource/SourceError`` with `invalidRequest` if the system refused to show it;
    ///   `CancellationError`.
    static func end(
        of make: @MainActor (@escaping @Sendable (Result<URL, any Error>) -> Void) -> Self
    ) async throws -> URL {
        let end = PageEnd()
        let page = make { end.settle($0) }
        // The system does not keep a page: this does, until it has ended.
        defer { withExtendedLifetime(page) {} }
        do {
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    guard end.await(continuation), !page.start() else { return }
                    end.settle(.failure(Self.refusal))
                }
            } onCancel: {
                end.settle(.failure(CancellationError()))
            }
        } catch {
            if Task.isCancelled { page.cancel() }
            throw error
        }
    }

    private static var refusal: SourceError {
        SourceError(
            .invalidRequest,
            "The system does not show the page of the log-in; try again when the application's window is on the screen."
        )
    }
}

/// The end of a page: the first that is told.
private final class PageEnd: Sendable {
    private enum State {
        case open(CheckedContinuation<URL, any Error>?)
        case settled(Result<URL, any Error>)
    }

    private let state = Mutex(State.open(nil))

    /// Has the continuation resumed with the end; `false` if there is one already.
    func await(_ continuation: CheckedContinuation<URL, any Error>) -> Bool {
        let result = self.state.withLock { state -> Result<URL, any Error>? in
            if case .settled(let result) = state { return result }
            state = .open(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
        return result == nil
    }

    /// Tells the end, unless it was told before.
    func settle(_ result: Result<URL, any Error>) {
        let waiter = self.state.withLock { state -> CheckedContinuation<URL, any Error>? in
            guard case .open(let waiter) = state else { return nil }
            state = .settled(result)
            return waiter
        }
        waiter?.resume(with: result)
    }
}
