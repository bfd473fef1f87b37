// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirSource

/// The paths in a configured source that begin with a given word, for a shell that proposes them.
///
/// Weir lists the folder as `weir ls` does. If no answer comes in time, it proposes the names that
/// the cache holds.
struct SourcePaths {
    /// How long completion waits for an answer.
    static let patience = Duration.milliseconds(1500)

    /// The word, up to the cursor.
    private let word: String
    /// The words of the command, which may name the configuration and the cache.
    private let words: [String]

    /// Reads a shell's request for completions.
    ///
    /// The request is `---completion COMMAND… -- ARGUMENT INDEX CURSOR WORD…`. The last word is the
    /// one to complete.
    ///
    /// - Returns: `nil` for other arguments, and if the word is not a path in a source.
    init?(_ arguments: [String]) {
        guard arguments.first == "---completion",
            let end = arguments.firstIndex(of: "--"),
            arguments.count > end + 4,
            let cursor = Int(arguments[end + 3]), cursor >= 0, let last = arguments.last
        else { return nil }
        self.words = Array(arguments[(end + 4)...])
        self.word = String(last.prefix(cursor))
        guard let colon = self.word.firstIndex(of: ":"),
            ConfiguredSource.isName(String(self.word[..<colon])),
            self.word[self.word.index(after: colon)...].hasPrefix("/"),
            !self.word[colon...].hasPrefix("://")
        else { return nil }
    }

    /// The paths, in natural order; folders end with a slash.
    ///
    /// The list is empty if the source does not exist or its folder cannot be listed.
    func proposals() async -> [String] {
        guard let slash = self.word.lastIndex(of: "/") else { return [] }
        let folder = String(self.word[...slash])
        let begin = String(self.word[self.word.index(after: slash)...])
        let asked = await Self.within(Self.patience) { try await self.names(in: folder, begin) }
        let names: [String]
        if let asked {
            names = asked
        } else {
            names =
                await Self.within(Self.patience) {
                    try await self.names(in: folder, begin, isOffline: true)
                } ?? []
        }
        return names.sorted { $0.precedesNaturally($1) }.prefix(Completions.most)
            .map { "\(folder)\($0)" }
    }

    /// The names in a folder that begin with a text.
    private func names(
        in folder: String,
        _ begin: String,
        isOffline: Bool = false
    ) async throws -> [String] {
        let settings = try MediaSettings(
            SourceOptions.parse([]),
            CacheFolderOption.parse(self.options),
            OutputOptions.parse(["--quiet"]),
            isOffline: isOffline
        )
        // Without a cache folder, there are no names to list offline, so do not create the folder.
        guard !isOffline || FileManager.default.fileExists(atPath: settings.cacheDirectory) else {
            return []
        }
        return try await settings.withLibrary { library in
            let location = try MediaResolver(library: library, settings: settings).location(folder)
            let storage = location.storage(in: library, view: .listed)
            var found: [String] = []
            for try await page in storage.entries(in: location.path.asFolder) {
                for entry in page where entry.name.hasPrefix(begin) {
                    // Hidden names are proposed only after a dot.
                    guard !entry.name.hasPrefix(".") || begin.hasPrefix(".") else { continue }
                    found.append(entry.kind == .folder ? "\(entry.name)/" : entry.name)
                }
            }
            return found
        }
    }

    /// The options among the words that name the configuration and the cache.
    private var options: [String] {
        ["--config", "--cache"].flatMap { name -> [String] in
            if let index = self.words.firstIndex(of: name), index + 1 < self.words.count - 1 {
                return [name, self.words[index + 1]]
            }
            return self.words.dropLast().filter { $0.hasPrefix("\(name)=") }.suffix(1)
        }
    }

    /// The result of a task with a time limit; `nil` if the task fails or takes longer.
    private static func within<Result: Sendable>(
        _ limit: Duration,
        _ work: @escaping @Sendable () async throws -> Result
    ) async -> Result? {
        await withTaskGroup(of: Result?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try? await work() }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            return await group.next() ?? nil
        }
    }
}
