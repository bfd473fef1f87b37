// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A page in the system's browser, which ends once.
@MainActor
protocol LogInPage: AnyObject {
    /// Shows the page; `false` if the system refuses.
    func start() -> Bool
    /// Closes the page.
    func cancel()
}

extension LogInPage {
    /// Shows a page, and waits for its end; closes it if the task is cancelled.
    ///
    /// - Parameter make: makes the page; its argument must be called when the page ends, from any thread, once or
    ///   more often.
    /// - Returns: the URL at which the page ended.
    /// - Throws: the error with which the page ended; ``/WeirSource/SourceError`` with `invalidRequest` if the
    ///   system refused to show it; `CancellationError`.
    static func end(
        of make: @MainActor (@escaping @Sendable (Result<URL, any Error>) -> Void) -> Self
    ) async throws -> URL {
        let end = PageEnd()
        let page = make { end.settle($0) }
        // The system does not keep a page alive, so this line does until the page has ended.
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

/// The end of a page: the first result counts.
private final class PageEnd: Sendable {
    private enum State {
        case open(CheckedContinuation<URL, any Error>?)
        case settled(Result<URL, any Error>)
    }

    private let state = Mutex(State.open(nil))

    /// Resumes the continuation with the end, now or later; `false` if the page has already ended.
    func await(_ continuation: CheckedContinuation<URL, any Error>) -> Bool {
        let result = self.state.withLock { state -> Result<URL, any Error>? in
            if case .settled(let result) = state { return result }
            state = .open(continuation)
            return nil
        }
        if let result { continuation.resume(with: result) }
        return result == nil
    }

    /// Sets the end, unless it is already set.
    func settle(_ result: Result<URL, any Error>) {
        let waiter = self.state.withLock { state -> CheckedContinuation<URL, any Error>? in
            guard case .open(let waiter) = state else { return nil }
            state = .settled(result)
            return waiter
        }
        waiter?.resume(with: result)
    }
}
