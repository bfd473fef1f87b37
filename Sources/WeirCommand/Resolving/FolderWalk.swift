// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirClouds
import WeirSource

/// Goes through a folder and the folders in it, in the order in which people read names: files before folders.
struct FolderWalk {
    /// A file, and the folders that lie between it and the folder where the walk began.
    struct File {
        let path: FolderPath
        let folders: [String]
        let entry: FolderEntry
    }

    /// Deeper folders are left out; a link may lead into its own folder.
    private static let deepest = 16

    let storage: any MediaStorage
    /// How many files are wanted at most.
    let limit: Int
    /// Takes a line about a folder that was left out.
    let note: (String) -> Void

    /// The files that are wanted.
    ///
    /// What is hidden is left out: macOS keeps notes beside each file as `._name`.
    ///
    /// - Throws: `SourceError` where the first folder cannot be listed; one in it is noted and left out.
    func files(
        in folder: FolderPath,
        where isWanted: (FolderEntry) -> Bool
    ) async throws -> [File] {
        var found: [File] = []
        try await self.collect(&found, in: folder, [], where: isWanted)
        return found
    }

    private func collect(
        _ found: inout [File],
        in folder: FolderPath,
        _ folders: [String],
        where isWanted: (FolderEntry) -> Bool
    ) async throws {
        var files: [FolderEntry] = []
        var inside: [String] = []
        for try await page in self.storage.entries(in: folder) {
            for entry in page where !entry.name.hasPrefix(".") {
                if entry.kind == .folder {
                    inside.append(entry.name)
                } else if isWanted(entry) {
                    files.append(entry)
                }
            }
        }
        files.sort { $0.name.precedesNaturally($1.name) }
        for entry in files {
            guard found.count < self.limit else { return }
            guard let path = try? folder.appending(entry.name) else { continue }
            found.append(File(path: path.asFile, folders: folders, entry: entry))
        }
        guard folders.count < Self.deepest else { return }
        inside.sort { $0.precedesNaturally($1) }
        for name in inside where found.count < self.limit {
            guard let path = try? folder.appending(name) else { continue }
            do {
                try await self.collect(&found, in: path.asFolder, folders + [name], where: isWanted)
            } catch let error as SourceError {
                self.note("warning: the folder \(name.printableLine) is left out. \(error)")
            }
        }
    }
}
