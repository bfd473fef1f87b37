// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// A folder of this machine as a storage; its files are played in place, without a second copy.
package final class FileStorage: MediaStorage {
    private static let pageSize = 200

    /// The folder from which paths start, in readable form, without a slash at its end.
    package let folder: String

    private let name: String?
    private let place: LocalPath

    /// Creates a storage of a folder.
    ///
    /// - Parameters:
    ///   - folder: its path; the storage names no file outside of it, unless a symbolic link in it
    ///     leads there.
    ///   - name: the prefix of displayed paths; `nil` shows paths of this machine.
    package convenience init(folder: String, name: String? = nil) {
        self.init(folder: LocalPath(folder), name: name)
    }

    /// Creates a storage of a folder whose path need not be valid UTF-8.
    package init(folder: LocalPath, name: String? = nil) {
        var bytes = folder.bytes
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        self.place = LocalPath(bytes: bytes)
        self.folder = self.place.text
        self.name = name
    }

    /// The name and the path, or the path on this machine.
    package func displayName(of path: FolderPath) -> String {
        self.name.map { "\($0):\(path)" } ?? self.place(path).text
    }

    /// `nil`: the file is already local.
    package func identity(of path: FolderPath) -> String? { nil }

    /// `everyone`: reading local files needs no credential.
    package var credentialScope: CredentialScope { .everyone }

    /// The entry at a path.
    package func entry(at path: FolderPath) async throws -> FolderEntry {
        let place = self.place(path)
        let status = try FileStatusReading.status(of: place, display: self.displayName(of: path))
        return status.entry(name: path.name ?? FolderPath.name(ofBytes: place.lastName) ?? "/")
    }

    /// The entries of a folder, by name.
    ///
    /// Entries that cannot be read are left out. Links to a folder that contains this folder are
    /// left out too, since such a folder would contain itself.
    package func entries(in path: FolderPath) -> FolderPages {
        FolderPages {
            let state = PageState()
            return {
                guard let offset = state.next else { return nil }
                if offset == 0 { state.names = try self.names(in: path) }
                let page = state.names.dropFirst(offset).prefix(Self.pageSize)
                state.next = page.count < Self.pageSize ? nil : offset + page.count
                let folder = self.place(path)
                return page.compactMap { name in
                    let place = folder.appending(FolderPath.bytes(ofName: name))
                    guard !place.isLinkAround(folder) else { return nil }
                    return try? FileStatusReading.status(of: place, display: name).entry(name: name)
                }
            }
        }
    }

    /// A source for the file.
    package func source(of path: FolderPath) -> any ByteSource {
        FileSource(path: self.place(path), display: self.displayName(of: path))
    }

    private func names(in path: FolderPath) throws -> [String] {
        let display = self.displayName(of: path)
        let place = self.place(path)
        let status = try FileStatusReading.status(of: place, display: display)
        guard status.isFolder else { throw SourceError.isFile(display, host: nil) }
        guard let names = place.names() else {
            throw SourceError.forbidden(display, status: nil, host: nil)
        }
        return names.compactMap { FolderPath.name(ofBytes: $0) }.sorted()
    }

    private func place(_ path: FolderPath) -> LocalPath { LocalPath(in: self.place, path) }
}

extension LocalPath {
    /// Whether the path is a symbolic link to `folder`, or to a folder that contains `folder`.
    fileprivate func isLinkAround(_ folder: LocalPath) -> Bool {
        var status = stat()
        guard self.withCString({ lstat($0, &status) }) == 0, status.st_mode & S_IFMT == S_IFLNK,
            let target = self.resolved, let inner = folder.resolved
        else { return false }
        return target == [UInt8(ascii: "/")] || target == inner
            || inner.starts(with: target + [UInt8(ascii: "/")])
    }

    /// The path without links; `nil` if it does not exist.
    private var resolved: [UInt8]? {
        self.withCString { path in
            guard let real = realpath(path, nil) else { return nil }
            defer { free(real) }
            return UnsafeRawBufferPointer(start: real, count: strlen(real)).map(\.self)
        }
    }

    /// The names in the folder except `.` and `..`, unordered, as bytes, which need not be valid
    /// UTF-8.
    ///
    /// - Returns: `nil` if the folder cannot be read.
    fileprivate func names() -> [[UInt8]]? {
        guard let directory = self.withCString({ opendir($0) }) else { return nil }
        defer { closedir(directory) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { return errno == 0 ? names : nil }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
    }
}
