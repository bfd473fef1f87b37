// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
package import WeirSource

/// The last listing of each folder, which Weir shows while the folder's origin cannot be reached.
///
/// A listing is a file in the folder `listings` of the cache folder. Its name is the identifier of
/// the listed folder, which includes the account or the credential. The file names the account; it
/// contains no address and no credential. Only the user may read it. At most 256 listings and 16
/// MiB are stored, of up to 10,000 entries each; the oldest are removed first. Nothing depends on
/// the listings: an unreadable file counts as missing, and a failed write is ignored.
package struct FolderListings: Sendable {
    /// A folder as it was listed.
    package struct Listing: Hashable, Sendable {
        /// The entries, without validators.
        package var entries: [FolderEntry]
        /// When the folder was listed, in seconds since 1970-01-01 00:00 UTC.
        package var seconds: Int64
        /// The account of the listing; empty for no account.
        package var account: String

        /// Makes the listing of a folder for an account.
        package init(entries: [FolderEntry], seconds: Int64, account: String = "") {
            self.entries = entries
            self.seconds = seconds
            self.account = account
        }
    }

    /// The most entries of a folder whose listing is stored.
    package static let mostEntries = 10_000
    private static let mostFiles = 256
    private static let mostBytes = 16 << 20
    private static let version = 1

    private let directory: String

    /// The listings of a cache folder.
    package init(cache: String) { self.directory = "\(cache)/listings" }

    /// The last listing of a folder; `nil` if none is stored.
    package subscript(identifier: String) -> Listing? {
        guard let stored = self.stored(identifier) else { return nil }
        let entries = stored.entries.filter { FolderPath.isName($0.name) }.map(\.entry)
        return Listing(entries: entries, seconds: stored.seconds, account: stored.account ?? "")
    }

    private func stored(_ identifier: String) -> Stored? {
        let file = self.file(identifier)
        guard let size = Self.status(of: file)?.size, size <= Self.mostBytes,
            let data = FileManager.default.contents(atPath: file),
            let stored = try? JSONDecoder().decode(Stored.self, from: data),
            stored.version == Self.version, stored.entries.count <= Self.mostEntries
        else { return nil }
        return stored
    }

    /// Stores a listing in place of the folder's last one, and removes the oldest listings over the
    /// limits.
    package func keep(_ listing: Listing, as identifier: String) {
        guard listing.entries.count <= Self.mostEntries else { return self.remove(identifier) }
        let stored = Stored(
            version: Self.version,
            seconds: listing.seconds,
            account: listing.account,
            entries: listing.entries.map(StoredEntry.init)
        )
        guard let data = try? JSONEncoder().encode(stored), data.count <= Self.mostBytes else {
            return self.remove(identifier)
        }
        if mkdir(self.directory, 0o700) != 0, errno != EEXIST { return }
        let file = self.file(identifier)
        let part = "\(file).\(UUID().uuidString).part"
        // A power cut may truncate the file; a truncated listing cannot be decoded and counts as
        // missing.
        let descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard (try? handle.write(contentsOf: data)) != nil, rename(part, file) == 0 else {
            unlink(part)
            return
        }
        self.makeRoom()
    }

    /// Removes the listing of a folder.
    package func remove(_ identifier: String) { unlink(self.file(identifier)) }

    /// Removes all listings.
    package func removeAll() { try? FileManager.default.removeItem(atPath: self.directory) }

    /// Removes the listings of an account, and those without a readable account.
    ///
    /// A listing without an account is unreadable, or an earlier version of Weir wrote it.
    package func removeAll(of account: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        for name in names where self.stored(name)?.account ?? account == account {
            self.remove(name)
        }
    }

    private func file(_ identifier: String) -> String { "\(self.directory)/\(identifier)" }

    /// Removes the oldest files over the limits; files that a crash has left count as listings.
    private func makeRoom() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.directory)) ?? []
        let files = names.compactMap { name in Self.status(of: self.file(name)).map { (name, $0) } }
        var (count, bytes) = (0, 0)
        for (name, status) in files.sorted(by: { $0.1.time > $1.1.time }) {
            count += 1
            bytes += status.size
            if count > Self.mostFiles || bytes > Self.mostBytes { self.remove(name) }
        }
    }

    /// The size of a file, and its modification time in seconds since 1970; `nil` if it is not a
    /// regular file.
    private static func status(of file: String) -> (size: Int, time: Int)? {
        var status = stat()
        guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        #if canImport(Darwin)
        return (Int(status.st_size), status.st_mtimespec.tv_sec)
        #else
        return (Int(status.st_size), Int(status.st_mtim.tv_sec))
        #endif
    }

    private struct Stored: Codable {
        var version: Int
        var seconds: Int64
        var account: String?
        var entries: [StoredEntry]
    }

    /// An entry with short keys, since there may be many entries.
    private struct StoredEntry: Codable {
        var name: String
        var isFolder: Bool
        var length: Int64?
        var type: String?
        var modified: Int64?

        enum CodingKeys: String, CodingKey {
            case name = "n"
            case isFolder = "f"
            case length = "l"
            case type = "t"
            case modified = "m"
        }

        init(_ entry: FolderEntry) {
            self.name = entry.name
            self.isFolder = entry.kind == .folder
            self.length = entry.length
            self.type = entry.mediaType?.description
            self.modified = entry.modifiedSeconds
        }

        var entry: FolderEntry {
            FolderEntry(
                name: self.name,
                kind: self.isFolder ? .folder : .file,
                length: self.length,
                mediaType: self.type.flatMap { MediaType(headerValue: $0) },
                modifiedSeconds: self.modified
            )
        }
    }
}

extension MediaLibrary {
    /// The last listings of folders, kept in the library's directory.
    package var listings: FolderListings {
        FolderListings(cache: self.configuration.directory)
    }
}
