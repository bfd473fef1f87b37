// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The signals that ask the program to end, for a command that waits for them in several places, one after the other.
///
/// They are watched once, from the beginning to the end of the program: a signal that is watched anew after it was let
/// go of may be lost.
final class SignalBoard: Sendable {
    private let reader = Mutex<AsyncStream<Int32>.Continuation?>(nil)

    /// Watches from now on; these signals end the process no longer by themselves.
    init() {
        let stream = Signals.stream()
        // Owned by nobody: ends with the program, as the watching does.
        Task { [weak self] in
            for await signal in stream { _ = self?.reader.withLock { $0?.yield(signal) } }
        }
    }

    /// The signals from now on; who asked for them before is told no more.
    func stream() -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.reader.withLock { $0 = continuation }
        return stream
    }

    /// Runs an operation and cancels it when the program is asked to end.
    ///
    /// - Parameter operation: what is cancelled.
    /// - Returns: what the operation does.
    /// - Throws: what the operation throws; `CancellationError`.
    func interruptible<Value: Sendable>(
        _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let signals = self.stream()
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await operation() }
            group.addTask {
                for await _ in signals { throw CancellationError() }
                return nil
            }
            defer { group.cancelAll() }
            while let value = try await group.next() {
                if let value { return value }
            }
            throw CancellationError()
        }
    }
}
