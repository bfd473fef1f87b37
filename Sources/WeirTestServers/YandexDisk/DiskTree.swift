// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The files of a disk, and their folders.
struct DiskTree: Sendable {
    enum Node: Sendable {
        case file(ServedFile)
        case folder
    }

    private(set) var files: [DiskPath: ServedFile] = [:]
    /// The names in every folder.
    private var folders: [DiskPath: Set<String>] = [.root: []]
    private var lastRevision: Int64 = 0

    /// The file or folder at a path.
    func node(_ path: DiskPath) -> Node? {
        if let file = self.files[path] { return .file(file) }
        return self.folders[path] == nil ? nil : .folder
    }

    /// The paths of the entries in a folder, by name.
    func children(of folder: DiskPath) -> [DiskPath] {
        (self.folders[folder] ?? []).map { folder.appending($0) }.sorted()
    }

    /// The number of bytes of all files.
    var length: Int64 { self.files.values.reduce(0) { $0 + $1.length } }

    /// Puts a file at a path, or removes it; folders appear and vanish with their contents.
    mutating func set(_ path: DiskPath, _ file: ServedFile?) {
        guard !path.names.isEmpty else { return }
        guard var file else {
            self.remove(path)
            return
        }
        self.lastRevision = max(self.lastRevision + 1, Int64(file.modified) * 1_000_000)
        file.revision = self.lastRevision
        self.files[path] = file
        self.link(path)
    }

    /// Makes an empty folder.
    mutating func addFolder(_ path: DiskPath) {
        guard !path.names.isEmpty, self.node(path) == nil else { return }
        self.folders[path] = []
        self.link(path)
    }

    private mutating func remove(_ path: DiskPath) {
        self.files[path] = nil
        var gone = path
        while !gone.names.isEmpty {
            self.folders[gone.parent]?.remove(gone.name)
            gone = gone.parent
            guard !gone.names.isEmpty, self.folders[gone]?.isEmpty == true else { return }
            self.folders[gone] = nil
        }
    }

    private mutating func link(_ path: DiskPath) {
        var part = path
        while !part.names.isEmpty {
            self.folders[part.parent, default: []].insert(part.name)
            part = part.parent
        }
    }
}
