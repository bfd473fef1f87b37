// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// What a program printed, and how it ended.
struct ProgramOutput: Sendable {
    /// The most that is read, in bytes.
    static let limit = 64 * 1024

    let text: String
    let status: Int32

    /// Runs a program to its end; it is ended when the time is over or the caller leaves.
    ///
    /// It reads nothing, and what it says on standard error, where secrets may be, is not shown.
    ///
    /// - Parameters:
    ///   - words: the program, found along PATH, and its arguments.
    ///   - patience: how long it may take.
    /// - Returns: its standard output, and its status.
    /// - Throws: ``CommandError`` with `failed` if it cannot be started or takes too long; `CancellationError`.
    static func of(_ words: [String], patience: Duration) async throws -> ProgramOutput {
        guard let name = words.first, let path = ProgramPath.find(name) else {
            throw CommandError(
                .failed,
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
                    throw CommandError(
                        .failed,
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
        throw CommandError(
            .failed,
            "The program '\(name)' could not be started, because this system starts no programs; use a source that needs"
                + " none."
        )
        #endif
    }
}
