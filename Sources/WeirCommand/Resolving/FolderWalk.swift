// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirClouds
import WeirSource

/// Goes through a folder and the folders in it, in the order of ``ListedFolder``.
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
    /// Takes a path that was left out for its name; `nil`: it is noted.
    var leaveOut: ((FolderPath) -> Void)?

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
        var files: [File] = []
        var inside: [(name: String, path: FolderPath)] = []
        let room = self.limit - found.count
        let listed = ListedFolder(storage: self.storage, path: folder) { path in
            if let leaveOut { leaveOut(path) } else { self.note(ListedFolder.leftOut(path)) }
        }
        try await listed.read { entry, path in
            guard !entry.name.hasPrefix(".") else { return true }
            if entry.kind == .folder {
                inside.append((entry.name, path))
            } else if files.count < room, isWanted(entry) {
                files.append(File(path: path.asFile, folders: folders, entry: entry))
            }
            // Behind the last file come folders, of which none is wanted then.
            return files.count < room
        }
        found += files
        guard folders.count < Self.deepest else { return }
        for (name, path) in inside where found.count < self.limit {
            do {
                try await self.collect(&found, in: path.asFolder, folders + [name], where: isWanted)
            } catch let error as SourceError {
                self.note(
                    "warning: the folder \(name.printableLine) is left out. \(error.ownerSentence)"
                )
            }
        }
    }
}
