// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirClouds
import WeirHTTP
import WeirSource

/// A user's program that prints a fresh URL on its first line, and optional headers on the next
/// lines.
struct LinkCommand: Sendable {
    /// How long a program may take.
    private static let patience = Duration.seconds(60)
    /// The most output that is read, in bytes.
    private static let limit = 64 * 1024

    let words: [String]
    let lifetime: Duration?
    let headers: HTTPHeaderList
    /// The name of the source.
    let source: String

    /// Runs the program for a file.
    ///
    /// - Throws: `SourceError` with `originFailed` if the program fails, prints no valid URL, or
    ///   takes longer than a minute.
    func link(to path: FolderPath) async throws -> Link {
        // Use the names of the storage, in which a line feed is not escaped.
        let plain = path.componentBytes.map { "/\(String(decoding: $0, as: UTF8.self))" }.joined()
        let words = self.words.map {
            $0.replacing("{}", with: path.isFolder ? "\(plain)/" : plain)
        }
        let output = try await Self.output(of: words)
        guard output.text.utf8.count < Self.limit else {
            throw self.error(
                "printed more than a URL and its headers; run it by hand to see what it prints."
            )
        }
        guard output.status == 0 else {
            throw self.error(
                "ended with status \(output.status) instead of printing a URL; run it by hand to see why."
            )
        }
        let lines = output.text.split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
        guard let first = lines.first, let url = try? OriginURL(first) else {
            throw self.error(
                "did not print an http or https URL on its first line; run it by hand to see what it prints."
            )
        }
        var headers = self.headers
        for line in lines.dropFirst() {
            guard let header = try? HTTPHeader(parsing: line) else {
                throw self.error(
                    "printed a line after its URL that is not a header; print 'Name: value', or the URL alone."
                )
            }
            headers.append(header)
        }
        return Link(url: url, headers: headers, lifetime: self.lifetime)
    }

    /// The error for the program's behaviour; only the owner's message contains the program's name.
    private func error(_ what: String) -> SourceError {
        SourceError(.originFailed, "The url-command of \(self.source) \(what)")
            .tellingOwner("The url-command '\(self.words[0])' of \(self.source) \(what)")
    }

    /// The error for a program that cannot run; only the owner's message contains the program's
    /// name.
    private static func error(ofProgram name: String, _ what: String) -> SourceError {
        SourceError(.originFailed, "The program that makes links \(what)")
            .tellingOwner("The program '\(name)' \(what)")
    }

    /// Runs a program to its end, and kills it after the time limit or when the caller is
    /// cancelled.
    ///
    /// The program gets no input. Its standard error is not shown, since it may contain secrets.
    ///
    /// - Throws: `SourceError` with `originFailed` if the program cannot be started or takes too
    ///   long; `CancellationError`.
    private static func output(of words: [String]) async throws -> (text: String, status: Int32) {
        let name = words.first ?? ""
        guard let path = Self.find(name) else {
            throw Self.error(
                ofProgram: name,
                "could not be started, because it does not exist; install it or give its path."
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
            try await withThrowingTaskGroup(of: (text: String, status: Int32).self) { group in
                defer { group.cancelAll() }
                group.addTask { try await running.output(of: pipe, limit: Self.limit) }
                group.addTask {
                    try await Task.sleep(for: Self.patience)
                    running.end()
                    throw Self.error(
                        ofProgram: name,
                        "did not end within \(Self.patience.components.seconds) s; run it by hand to see why."
                    )
                }
                guard let output = try await group.next() else { throw CancellationError() }
                return output
            }
        } onCancel: {
            running.end()
        }
        #else
        throw Self.error(
            ofProgram: name,
            "could not be started, because this system starts no programs; use a source that needs no program."
        )
        #endif
    }

    /// The path of a program, found as a shell does.
    ///
    /// A name with a slash is a path. Any other name is looked up in the folders of PATH.
    private static func find(_ name: String) -> String? {
        guard !name.isEmpty else { return nil }
        guard !name.contains("/") else {
            return access(name, X_OK) == 0 ? name : nil
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }
}
