// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirSource

/// A folder in the one order of all commands: files before folders, and names as people number them, `2` before `10`.
///
/// At most 10,000 entries are held in memory: a folder with more of them is given in the order of its storage.
struct ListedFolder {
    /// The most entries that are sorted.
    static let mostSorted = 10_000

    let storage: any MediaStorage
    let path: FolderPath
    /// Takes a path that is left out, since some servers read the way out of the folder into its name.
    var leaveOut: ((FolderPath) -> Void)?

    /// Hands over each entry with its path, until `body` says that it wants no more.
    ///
    /// - Throws: what the storage and `body` throw.
    func read(_ body: (FolderEntry, FolderPath) throws -> Bool) async throws {
        var waiting: [FolderEntry] = []
        var isSorted = true
        for try await page in self.storage.entries(in: self.path) {
            waiting += page
            if isSorted, waiting.count > Self.mostSorted { isSorted = false }
            guard !isSorted else { continue }
            for entry in waiting { guard try self.give(entry, to: body) else { return } }
            waiting = []
        }
        waiting.sort(by: Self.precedes)
        for entry in waiting { guard try self.give(entry, to: body) else { return } }
    }

    /// Whether an entry comes before another.
    static func precedes(_ first: FolderEntry, _ second: FolderEntry) -> Bool {
        guard first.kind == second.kind else { return first.kind == .file }
        return first.name.precedesNaturally(second.name)
    }

    /// The sentence about a path that is left out.
    static func leftOut(_ path: FolderPath) -> String {
        "warning: \(path.description.printableLine) is left out, since its name leads out of the folder for some servers."
    }

    private func give(
        _ entry: FolderEntry,
        to body: (FolderEntry, FolderPath) throws -> Bool
    ) throws -> Bool {
        guard let path = try? self.path.appending(entry.name) else { return true }
        if let leaveOut, ServedPath.climbs(ServedPath.encoded(path.asFile)[...]) {
            leaveOut(path)
            return true
        }
        return try body(entry, path)
    }
}
