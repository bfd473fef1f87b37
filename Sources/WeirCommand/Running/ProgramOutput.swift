// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The standard output of a program, and its status.
struct ProgramOutput: Sendable {
    /// The most that is read, in bytes.
    static let limit = 64 * 1024

    let text: String
    let status: Int32

    /// Runs a program to its end; it is ended when the time is over or the caller leaves.
    ///
    /// It reads nothing. Its standard error, which may hold secrets, is not shown.
    ///
    /// - Returns: its standard output, and its status.
    /// - Throws: ``CommandError`` with `failed` if it cannot be started or takes too long; `CancellationError`.
    static func of(_ words: [String], patience: Duration) async throws -> ProgramOutput {
        guard let name = words.first, let path = Self.find(name) else {
            throw CommandError.failed(
                "The program '\(words.first ?? "")' could not be started, because it is not there; install it or give its"
                    + " path."
            )
        }
        #if os(macOS) || !canImport(Darwin)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = Array(words.dropFirst())
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let running = RunningProgram(process)
        return try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: ProgramOutput.self) { group in
                defer { group.cancelAll() }
                group.addTask { try await running.output(of: pipe, limit: Self.limit) }
                group.addTask {
                    try await Task.sleep(for: patience)
                    running.end()
                    throw CommandError.failed(
                        "The program '\(words.first ?? "")' did not end within \(patience.components.seconds) s; run it"
                            + " by hand to see why."
                    )
                }
                guard let output = try await group.next() else { throw CancellationError() }
                return output
            }
        } onCancel: {
            running.end()
        }
        #else
        throw CommandError.failed(
            "The program '\(name)' could not be started, because this system starts no programs; use a source that needs"
                + " none."
        )
        #endif
    }
}

#if os(macOS) || !canImport(Darwin)
/// A program that was started, and can be ended from any thread.
final class RunningProgram: Sendable {
    /// Those that run, so that none outlives this one.
    private static let running = Mutex<[ObjectIdentifier: RunningProgram]>([:])

    /// Ends all that run.
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
    func output(of pipe: Pipe, limit: Int) async throws -> ProgramOutput {
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
                throw CommandError.failed(
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
        return ProgramOutput(
            text: String(decoding: bytes.prefix(limit), as: UTF8.self),
            status: status
        )
    }

    /// Ends it, if it runs.
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

extension ProgramOutput {
    /// The path of a program, as a shell finds it: the name itself if there is a slash in it, else the first of its name along PATH.
    private static func find(
        _ name: String,
        along path: String? = ProcessInfo.processInfo.environment["PATH"]
    ) -> String? {
        guard !name.isEmpty else { return nil }
        guard !name.contains("/") else {
            return access(name, X_OK) == 0 ? name : nil
        }
        let folders = (path ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
