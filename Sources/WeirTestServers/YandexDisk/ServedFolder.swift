// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A folder on this machine's disk, and the files of it that a tree already has.
struct ServedFolder: Sendable {
    /// The values that differ when a file has changed.
    private struct Identity: Sendable, Equatable {
        var device: UInt64
        var inode: UInt64
        var length: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private let path: String
    private var known: [DiskPath: Identity] = [:]

    init(path: String) { self.path = path }

    /// Updates the tree to the current state of the folder.
    ///
    /// Unchanged files keep their checksums.
    mutating func refresh(_ tree: inout DiskTree) {
        var seen: Set<DiskPath> = []
        let names = FileManager.default.enumerator(atPath: self.path)
        while let name = names?.nextObject() as? String {
            let location = "\(self.path)/\(name)"
            let path = DiskPath(name)
            guard let identity = Self.identity(of: location) else {
                if Self.isFolder(location) { tree.addFolder(path) }
                continue
            }
            seen.insert(path)
            guard self.known[path] != identity else { continue }
            self.known[path] = identity
            tree.set(path, Self.file(at: location, identity))
        }
        for path in self.known.keys where !seen.contains(path) {
            self.known[path] = nil
            tree.set(path, nil)
        }
    }

    private static func isFolder(_ location: String) -> Bool {
        var status = stat()
        return stat(location, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads the identity of a file.
    ///
    /// - Returns: `nil` for anything that is not a regular file.
    private static func identity(of location: String) -> Identity? {
        var status = stat()
        guard stat(location, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Identity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino),
            length: Int64(status.st_size),
            seconds: time.tv_sec,
            nanoseconds: Int(time.tv_nsec)
        )
    }

    private static func file(at location: String, _ identity: Identity) -> ServedFile {
        let file = DiskFile(path: location)
        return ServedFile(
            ServedContent(length: identity.length) { file.bytes(in: $0) },
            modified: Double(identity.seconds)
        )
    }
}
