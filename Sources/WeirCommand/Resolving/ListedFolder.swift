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
    /// Where the listing ends with an error, the entries before it are handed over first.
    ///
    /// - Throws: what the storage and `body` throw.
    func read(_ body: (FolderEntry, FolderPath) throws -> Bool) async throws {
        var waiting: [FolderEntry] = []
        var isSorted = true
        let pages = self.storage.entries(in: self.path).makeAsyncIterator()
        var failure: SourceError?
        while failure == nil {
            do {
                guard let page = try await pages.next() else { break }
                waiting += page
            } catch let error as SourceError {
                failure = error
                break
            }
            if isSorted, waiting.count > Self.mostSorted { isSorted = false }
            guard !isSorted else { continue }
            for entry in waiting { guard try self.give(entry, to: body) else { return } }
            waiting = []
        }
        waiting.sort(by: Self.precedes)
        for entry in waiting { guard try self.give(entry, to: body) else { return } }
        if let failure { throw failure }
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
