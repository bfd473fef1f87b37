// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirSource

/// The files of a source of which the cache holds bytes, in their folders.
///
/// A file counts only if the source would open it under the cache's key. So files of another
/// account are not listed.
struct HeldFiles {
    /// How much the cache holds of a file.
    enum Amount: Hashable, Sendable {
        case whole
        case part
    }

    private typealias Bytes = [UInt8]

    /// The entries of each folder, by the bytes of their names, since different names may be equal
    /// as strings.
    private var folders: [Bytes: [Bytes: FolderEntry]] = [:]
    private var amounts: [Bytes: Amount] = [:]
    /// The file at the URL of the source itself, if this URL names a file.
    let own: FolderEntry?

    init(_ resources: [CachedResource], of location: MediaLocation, in library: MediaLibrary) {
        let identifier = location.ownIdentifier(in: library)
        self.own = resources.first { $0.heldByteCount > 0 && $0.identifier == identifier }
            .map { $0.entry(named: location.folderName) }
        for resource in resources where resource.heldByteCount > 0 {
            guard let path = location.path(of: resource, in: library) else { continue }
            self.amounts[Bytes(path.description.utf8)] = resource.isComplete ? .whole : .part
            self.add(resource, at: path)
        }
    }

    /// How much of the file at a path is held; `nil` if nothing is.
    func amount(of file: FolderPath) -> Amount? { self.amounts[Bytes(file.description.utf8)] }

    /// The files and folders in a folder.
    func entries(in folder: FolderPath) -> [FolderEntry] {
        self.folders[Self.key(folder)].map { Array($0.values) } ?? []
    }

    /// The file or folder at a path; `nil` if the cache holds nothing of it.
    func entry(at path: FolderPath) -> FolderEntry? {
        if self.folders[Self.key(path)] != nil {
            return FolderEntry(name: path.name ?? "/", kind: .folder)
        }
        guard let (folder, name) = path.place else { return self.own }
        return self.folders[Self.key(folder)]?[Bytes(name.utf8)]
    }

    private static func key(_ folder: FolderPath) -> Bytes {
        Bytes(folder.asFolder.description.utf8)
    }

    private mutating func add(_ resource: CachedResource, at path: FolderPath) {
        var entry = resource.entry(named: path.name ?? "")
        var path = path
        while let (folder, name) = path.place {
            let key = Self.key(folder)
            let isKnown = self.folders[key] != nil
            // A folder replaces a file of the same name.
            if self.folders[key]?[Bytes(name.utf8)]?.kind != .folder {
                self.folders[key, default: [:]][Bytes(name.utf8)] = entry
            }
            if isKnown { return }
            entry = FolderEntry(name: folder.name ?? "", kind: .folder)
            path = folder
        }
    }
}

extension FolderPath {
    /// The parent folder, and the name in it; `nil` for the root.
    var place: (folder: FolderPath, name: String)? {
        guard let name = self.name else { return nil }
        let above = self.componentBytes.dropLast()
        let text = above.map { [UInt8(ascii: "/")] + $0 }.joined()
        guard let folder = try? FolderPath(bytes: Array(text)) else { return nil }
        return (folder.asFolder, name)
    }
}

extension CachedResource {
    fileprivate func entry(named name: String) -> FolderEntry {
        FolderEntry(name: name, kind: .file, length: self.length, mediaType: self.mediaType)
    }
}
