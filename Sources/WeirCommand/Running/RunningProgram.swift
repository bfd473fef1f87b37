// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirSource

#if os(macOS) || !canImport(Darwin)
/// A program that was started, and can be ended from any thread.
final class RunningProgram: Sendable {
    /// Those that run, so that none outlives this one.
    private static let running = Mutex<[ObjectIdentifier: RunningProgram]>([:])

    static func endAll() {
        for program in self.running.withLock({ Array($0.values) }) { program.end() }
    }

    private struct State {
        let process: Process
        var hasStarted = false
        var isEnded = false
    }

    private let state: Mutex<State>

    init(_ process: sending Process) {
        self.state = Mutex(State(process: process))
    }

    /// Starts it and waits for its end.
    ///
    /// - Returns: its standard output, and its status.
    /// - Throws: `SourceError` with `originFailed` if it cannot be started; `CancellationError`.
    func output(of pipe: Pipe, limit: Int) async throws -> (text: String, status: Int32) {
        let (exits, continuation) = AsyncStream.makeStream(of: Int32.self)
        try self.state.withLock { state in
            guard !state.isEnded else { throw CancellationError() }
            state.process.terminationHandler = { process in
                continuation.yield(process.terminationStatus)
                continuation.finish()
            }
            do {
                try OpenFileLimit.withOriginal { try state.process.run() }
            } catch {
                throw SourceError(
                    .originFailed,
                    "The program '\(state.process.executableURL?.path ?? "")' could not be started; look at its permissions."
                )
            }
            state.hasStarted = true
        }
        Self.running.withLock { $0[ObjectIdentifier(self)] = self }
        defer { Self.running.withLock { $0[ObjectIdentifier(self)] = nil } }
        let reading = pipe.fileHandleForReading
        let bytes = await withCheckedContinuation { done in
            // Waits for the program's output on a thread of its own; ends with the pipe.
            Thread.detachNewThread {
                var bytes = Data()
                while bytes.count < limit, let piece = try? reading.read(upToCount: 4096),
                    !piece.isEmpty
                { bytes += piece }
                // A program that prints more is not waited for.
                if bytes.count >= limit { self.end() }
                try? reading.close()
                done.resume(returning: bytes)
            }
        }
        var status: Int32 = 1
        for await exit in exits { status = exit }
        try Task.checkCancellation()
        return (String(decoding: bytes.prefix(limit), as: UTF8.self), status)
    }

    func end() {
        self.state.withLock { state in
            state.isEnded = true
            guard state.hasStarted, state.process.isRunning else { return }
            // It may have been started from a thread that lets no signal through, and would not hear a gentler one.
            kill(state.process.processIdentifier, SIGKILL)
        }
    }
}
#endif
