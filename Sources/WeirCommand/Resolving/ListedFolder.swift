// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirSource

/// A folder in the order that all commands use: files before folders, and names in natural order.
///
/// In natural order, `2` comes before `10`.
///
/// At most 10,000 entries are held in memory. A larger folder keeps the order of its storage.
struct ListedFolder {
    /// The largest number of entries that are sorted.
    static let mostSorted = 10_000

    let storage: any MediaStorage
    let path: FolderPath
    /// Receives a skipped path; some servers read its name as a path outside the folder.
    var leaveOut: ((FolderPath) -> Void)?

    /// Passes each entry with its path to `body`, until `body` returns `false`.
    ///
    /// If the listing fails, the entries before the error are passed first.
    ///
    /// - Throws: the errors of the storage and of `body`.
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

    /// The sentence about a skipped path.
    static func leftOut(_ path: FolderPath) -> String {
        "warning: \(path.description.printableLine) is left out, since some servers read its name as a path outside"
            + " the folder."
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
