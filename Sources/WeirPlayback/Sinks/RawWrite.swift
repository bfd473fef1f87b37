// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// One blocking write, for which a task waits until it is done or given up.
final class RawWrite: Sendable {
    private enum State {
        case new
        case waiting(CheckedContinuation<Void, any Error>)
        /// Somebody else has been told already how it ended.
        case over(Result<Void, any Error>)
    }

    private let bytes: Mutex<[UInt8]>
    private let file: OutputFile
    private let state = Mutex(State.new)

    init(_ bytes: [UInt8], to file: OutputFile) {
        self.bytes = Mutex(bytes)
        self.file = file
    }

    /// Writes on a queue, and returns when that is done or given up.
    ///
    /// - Throws: ``AudioError``; `CancellationError`, at once, when the task is cancelled.
    func run(on queue: DispatchQueue) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = self.state.withLock { state -> Result<Void, any Error>? in
                    if case .over(let result) = state { return result }
                    state = .waiting(continuation)
                    return nil
                }
                if let outcome {
                    continuation.resume(with: outcome)
                } else {
                    queue.async { self.perform() }
                }
            }
        } onCancel: {
            self.giveUp(throwing: CancellationError())
        }
    }

    /// Lets the task go on; a write that has not begun is not made.
    func giveUp(throwing error: (any Error)?) {
        self.end(error.map { .failure($0) } ?? .success(()))
    }

    private func perform() {
        let isOver = self.state.withLock { state in
            if case .over = state { return true }
            return false
        }
        if isOver { return }
        let bytes = self.bytes.withLock { $0 }
        do throws(OutputFile.Failure) {
            try Self.withoutPipeSignal(self.file.descriptor) { () throws(OutputFile.Failure) in
                try self.file.write(bytes)
            }
            self.end(.success(()))
        } catch {
            let message =
                error.code == EPIPE
                ? "The program that read the sound has gone; start both again."
                : "Sound could not be written to the output: \(error.description)."
            self.end(.failure(AudioError(.failed, message)))
        }
    }

    private func end(_ result: Result<Void, any Error>) {
        let continuation = self.state.withLock { state -> CheckedContinuation<Void, any Error>? in
            switch state {
            case .new:
                state = .over(result)
                return nil
            case .waiting(let continuation):
                state = .over(result)
                return continuation
            case .over: return nil
            }
        }
        continuation?.resume(with: result)
    }

    /// Writes without the signal that ends a program whose reader has gone: the error is enough.
    private static func withoutPipeSignal(
        _ descriptor: CInt,
        _ body: () throws(OutputFile.Failure) -> Void
    ) throws(OutputFile.Failure) {
        #if canImport(Darwin)
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
        try body()
        #else
        var pipe = sigset_t()
        var before = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        do throws(OutputFile.Failure) {
            try body()
        } catch {
            if error.code == EPIPE, sigismember(&before, SIGPIPE) == 0 {
                // Takes the signal, which is this thread's own, before the thread could be asked to handle it.
                var now = timespec()
                _ = sigtimedwait(&pipe, nil, &now)
            }
            throw error
        }
        #endif
    }
}
