// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The files of a disk and the folders in which they lie.
struct DiskTree: Sendable {
    /// A file with what the disk keeps about it.
    struct Entry: Sendable {
        var file: ServedFile
        /// Counts up with every change on the disk, in microseconds.
        var revision: Int64
    }

    enum Node: Sendable {
        case file(Entry)
        case folder
    }

    private(set) var files: [DiskPath: Entry] = [:]
    /// The names in every folder.
    private var folders: [DiskPath: Set<String>] = [.root: []]
    private var lastRevision: Int64 = 0

    /// What lies at a path.
    func node(_ path: DiskPath) -> Node? {
        if let entry = self.files[path] { return .file(entry) }
        return self.folders[path] == nil ? nil : .folder
    }

    /// The paths of what lies in a folder, by name.
    func children(of folder: DiskPath) -> [DiskPath] {
        (self.folders[folder] ?? []).map { folder.appending($0) }.sorted()
    }

    /// How many bytes all files have.
    var length: Int64 { self.files.values.reduce(0) { $0 + $1.file.length } }

    /// Puts a file in its place, or takes it away; folders come and go with what is in them.
    mutating func set(_ path: DiskPath, _ file: ServedFile?) {
        guard !path.names.isEmpty else { return }
        guard let file else {
            self.remove(path)
            return
        }
        self.lastRevision = max(self.lastRevision + 1, Int64(file.modified) * 1_000_000)
        self.files[path] = Entry(file: file, revision: self.lastRevision)
        self.link(path)
    }

    /// Makes a folder, though nothing is in it.
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

/// The way to a file or a folder from the root of a disk, as `/Music/a.mp3`; the root is `/`.
struct DiskPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    let names: [String]

    static let root = DiskPath(names: [])

    private init(names: [String]) { self.names = names }

    /// Takes what a test writes: with `disk:` or without, with a slash in front or without.
    init(_ text: String) {
        let path = text.hasPrefix("disk:") ? text.dropFirst(5) : text[...]
        self.names = path.split(separator: "/").map(String.init)
    }

    /// Takes what a client sends, which must begin with a slash and have no odd names in it.
    ///
    /// - Parameter text: the path, unescaped; a slash at the end is a folder's.
    /// - Throws: ``Refusal`` with a sentence.
    init(sent text: some StringProtocol) throws(Refusal) {
        guard text.hasPrefix("/") else {
            throw .violation("The path \(text) does not begin with a slash.")
        }
        var names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if names.last?.isEmpty == true { names.removeLast() }
        for name in names where name.isEmpty || name == "." || name == ".." {
            throw .violation("The path \(text) has an empty name, a dot or two dots in it.")
        }
        guard !text.contains("\0") else { throw .violation("There is a zero byte in a path.") }
        self.names = names.map { String($0) }
    }

    var description: String { "/" + self.names.joined(separator: "/") }

    /// The last name; none for the root.
    var name: String { self.names.last ?? "" }

    /// The folder in which it lies; the root lies in itself.
    var parent: DiskPath { DiskPath(names: Array(self.names.dropLast())) }

    func appending(_ name: String) -> DiskPath { DiskPath(names: self.names + [name]) }

    /// The path of something below, seen from the root.
    func appending(_ path: DiskPath) -> DiskPath { DiskPath(names: self.names + path.names) }

    /// This path, seen from a folder above.
    func relative(to folder: DiskPath) -> DiskPath {
        DiskPath(names: Array(self.names.dropFirst(folder.names.count)))
    }

    static func < (one: DiskPath, other: DiskPath) -> Bool {
        one.names.lexicographicallyPrecedes(other.names) {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }
}
