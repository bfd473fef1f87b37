// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirSource

#if os(macOS) || !canImport(Darwin)
/// A started program, which any thread can end.
final class RunningProgram: Sendable {
    /// The running programs, so that none outlives this process.
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

    /// Starts the program and waits for its end.
    ///
    /// - Returns: its standard output and its status.
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
                    "The program '\(state.process.executableURL?.path ?? "")' could not be started; check its"
                        + " permissions."
                )
            }
            state.hasStarted = true
        }
        Self.running.withLock { $0[ObjectIdentifier(self)] = self }
        defer { Self.running.withLock { $0[ObjectIdentifier(self)] = nil } }
        let reading = pipe.fileHandleForReading
        let bytes = await withCheckedContinuation { done in
            // Reads the program's output on a thread of its own, which ends with the pipe.
            Thread.detachNewThread {
                var bytes = Data()
                while bytes.count < limit, let piece = try? reading.read(upToCount: 4096),
                    !piece.isEmpty
                { bytes += piece }
                // A program that prints more than the limit is killed.
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
            // Only SIGKILL certainly ends the program, which may have inherited a mask that blocks
            // other signals.
            kill(state.process.processIdentifier, SIGKILL)
        }
    }
}
#endif
