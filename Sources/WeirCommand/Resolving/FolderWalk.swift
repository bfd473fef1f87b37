// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirClouds
import WeirSource

/// Collects the files of a folder and its subfolders, in the order of ``ListedFolder``.
struct FolderWalk {
    /// A file, and the folders between it and the first folder.
    struct File {
        let path: FolderPath
        let folders: [String]
        let entry: FolderEntry
    }

    /// The largest depth; a link may lead into its own folder.
    private static let deepest = 16

    let storage: any MediaStorage
    /// The largest number of files.
    let limit: Int
    /// Receives a line about a skipped folder.
    let note: (String) -> Void
    /// Receives a path that is skipped for its name; `nil` passes a line to ``note``.
    var leaveOut: ((FolderPath) -> Void)?

    /// The files for which `isWanted` is true.
    ///
    /// Hidden files are skipped: macOS writes metadata beside each file as `._name`.
    ///
    /// - Throws: `SourceError` if the first folder cannot be listed; if a subfolder cannot be
    ///   listed, ``note`` receives a line and the walk skips it.
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
            // Files come before folders. With enough files, the other entries are not needed.
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
