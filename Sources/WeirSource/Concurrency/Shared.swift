// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Lets many callers wait for one piece of work, so that it is done once.
package actor Shared<Value: Sendable> {
    private var work: Task<Void, Never>?
    /// Distinguishes the running work from abandoned work.
    private var workNumber = 0
    private let isAbandonable: Bool
    private var last: Value?
    private var waiters: [Int: Waiter] = [:]
    /// Whether the work was started in advance.
    private var isAhead = false
    private var lastWaiter = 0

    private struct Waiter {
        let continuation: CheckedContinuation<Value, any Error>
        let make: @Sendable () async throws -> Value
    }

    /// Shares work.
    ///
    /// - Parameter isAbandonable: whether work without waiters is cancelled.
    package init(isAbandonable: Bool = false) {
        self.isAbandonable = isAbandonable
    }

    /// Returns the last result if it is valid; otherwise waits for the running work, or starts it.
    ///
    /// If work that was started in advance fails while a caller waits for it, the work is done again.
    ///
    /// - Parameters:
    ///   - isGood: whether the last result is still valid; otherwise the work is done again.
    ///   - make: does the work. It runs to its end even if its waiters leave, unless it may be abandoned.
    /// - Returns: the result of the work.
    /// - Throws: the error of the work; `CancellationError` at once when the calling task is cancelled.
    package func value(
        isGood: @Sendable (Value) -> Bool,
        make: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let last, isGood(last) { return last }
        self.start(make)
        self.lastWaiter += 1
        let id = self.lastWaiter
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    self.waiters[id] = Waiter(continuation: continuation, make: make)
                }
            }
        } onCancel: {
            // Owned by the waiting call, which it wakes; ends after one visit to the actor.
            Task { await self.leave(id) }
        }
    }

    /// Starts the work in advance, if it is not running; the last result stays until the work succeeds.
    ///
    /// - Returns: whether it was started.
    @discardableResult
    package func renew(_ make: @escaping @Sendable () async throws -> Value) -> Bool {
        guard self.work == nil else { return false }
        self.isAhead = true
        self.start(make)
        return true
    }

    private func start(_ make: @escaping @Sendable () async throws -> Value) {
        guard self.work == nil else { return }
        self.workNumber += 1
        let number = self.workNumber
        // Owned by this actor; ends with the work, or is cancelled when it has no waiter and may be abandoned.
        self.work = Task {
            do { self.finish(.success(try await make()), number) } catch {
                self.finish(.failure(error), number)
            }
        }
    }

    /// Discards the last result.
    package func forget() {
        self.last = nil
    }

    private func finish(_ result: Result<Value, any Error>, _ number: Int) {
        guard number == self.workNumber, self.work != nil else { return }
        self.work = nil
        let wasAhead = self.isAhead
        self.isAhead = false
        switch result {
        case .success(let value): self.last = value
        case .failure:
            if wasAhead, let waiter = self.waiters.values.first { return self.start(waiter.make) }
        }
        let waiters = self.waiters.values
        self.waiters = [:]
        for waiter in waiters { waiter.continuation.resume(with: result) }
    }

    private func leave(_ id: Int) {
        self.waiters.removeValue(forKey: id)?.continuation.resume(throwing: CancellationError())
        guard self.isAbandonable, self.waiters.isEmpty else { return }
        self.work?.cancel()
        self.work = nil
    }
}
