// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// A line in the list of a folder.
public struct FolderItem: Identifiable, Hashable, Sendable {
    /// What a tap does.
    public enum Kind: Hashable, Sendable {
        /// Opens the folder.
        case folder
        /// Plays the file.
        case playable
        /// Nothing: no player knows it.
        case other
    }

    /// Where it is in the storage.
    public let path: FolderPath
    /// The name, as the storage has it.
    public let name: String
    /// What a tap does.
    public let kind: Kind
    /// Bytes in the file, if the storage tells.
    public let length: Int64?

    /// The path: no two lines of a folder share one.
    public var id: FolderPath { self.path }

    /// A line of a folder.
    ///
    /// - Parameters:
    ///   - entry: what the storage tells.
    ///   - folder: the folder that it is in.
    /// - Throws: `SourceError` for a name that no path can hold.
    public init(_ entry: FolderEntry, in folder: FolderPath) throws(SourceError) {
        let path = try folder.asFolder.appending(entry.name)
        self.path = entry.kind == .folder ? path.asFolder : path.asFile
        self.name = entry.name
        self.length = entry.length
        let isPlayable =
            entry.mediaType.map { ["audio", "video"].contains($0.topLevel) } ?? false
        self.kind = entry.kind == .folder ? .folder : isPlayable ? .playable : .other
    }
}
