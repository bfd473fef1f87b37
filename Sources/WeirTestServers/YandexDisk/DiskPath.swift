// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The path of a file or a folder from the root of a disk, as `/Music/a.mp3`; the root is `/`.
struct DiskPath: Sendable, Hashable, Comparable, CustomStringConvertible {
    let names: [String]

    static let root = DiskPath(names: [])

    private init(names: [String]) { self.names = names }

    /// Reads a path from a test: with or without `disk:`, with or without a slash in front.
    init(_ text: String) {
        let path = text.hasPrefix("disk:") ? text.dropFirst(5) : text[...]
        self.names = path.split(separator: "/").map(String.init)
    }

    /// Reads a path from a client, which must begin with a slash and have only regular names.
    ///
    /// - Parameter text: the path, unescaped; a slash at the end marks a folder.
    /// - Throws: ``ServerError`` with a sentence.
    init(sent text: some StringProtocol) throws(ServerError) {
        guard text.hasPrefix("/") else {
            throw .violation("The path \(text) does not begin with a slash.")
        }
        var names = text.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        if names.last?.isEmpty == true { names.removeLast() }
        for name in names where name.isEmpty || name == "." || name == ".." {
            throw .violation("The path \(text) has an empty name, or . or .. as a name.")
        }
        guard !text.contains("\0") else { throw .violation("There is a zero byte in a path.") }
        self.names = names.map { String($0) }
    }

    var description: String { "/" + self.names.joined(separator: "/") }

    /// The last name; empty for the root.
    var name: String { self.names.last ?? "" }

    /// The folder that contains the path; the root contains itself.
    var parent: DiskPath { DiskPath(names: Array(self.names.dropLast())) }

    func appending(_ name: String) -> DiskPath { DiskPath(names: self.names + [name]) }

    /// This path, followed by a path relative to it.
    func appending(_ path: DiskPath) -> DiskPath { DiskPath(names: self.names + path.names) }

    /// This path, relative to a folder above it.
    func relative(to folder: DiskPath) -> DiskPath {
        DiskPath(names: Array(self.names.dropFirst(folder.names.count)))
    }

    static func < (one: DiskPath, other: DiskPath) -> Bool {
        one.names.lexicographicallyPrecedes(other.names) {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
    }
}
