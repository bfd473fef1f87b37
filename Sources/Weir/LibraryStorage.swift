// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import WeirCipher
public import WeirLoader
public import WeirSource

/// A storage of a library: it lists folders, and its files are media of the library.
///
/// Made by ``MediaLibrary/storage(_:)``. Use one for all files of a service: they share links and
/// tokens.
public final class LibraryStorage: Sendable {
    private let library: MediaLibrary
    /// The storage, or the error for a service whose address cannot be used.
    private let storage: Result<any MediaStorage, SourceError>
    /// The account of media that are requested without one.
    private let account: String?

    init(
        _ library: MediaLibrary,
        _ storage: Result<any MediaStorage, SourceError>,
        _ account: String?
    ) {
        self.library = library
        self.storage = storage
        self.account = account
    }

    /// The items of a folder, in the storage's order.
    ///
    /// The iteration sends the first request when the first item is needed, and a request for each
    /// further page when that page is needed.
    ///
    /// - Parameter folder: a path that starts with a slash, such as `/Music`; without one, the
    ///   root.
    /// - Returns: the items, to be iterated once. Iterating throws ``/WeirSource/SourceError``:
    ///   `notFound`, `unauthorized`, `invalidRequest` for a file and for an invalid path;
    ///   `CancellationError`.
    public func list(_ folder: String = "/") -> StorageListing {
        do throws(SourceError) {
            let path = try FolderPath(folder).asFolder
            return StorageListing(path, try self.storage.get().entries(in: path))
        } catch {
            return StorageListing(.root, FolderPages { { throw error } })
        }
    }

    /// The file or folder at a path, without its bytes.
    ///
    /// - Parameter path: a path that starts with a slash.
    /// - Returns: the item.
    /// - Throws: ``/WeirSource/SourceError``, with `notFound` if nothing is at the path;
    ///   `CancellationError`.
    public func item(at path: String) async throws -> StorageItem {
        let path = try FolderPath(path)
        return StorageItem(try await self.storage.get().entry(at: path), at: path)
    }

    /// The medium for a file; the same object for the same file.
    ///
    /// - Parameters:
    ///   - item: a file from ``list(_:)``.
    ///   - account: the account that the bytes belong to; see ``MediaRequest/account``.
    ///   - prefetch: which bytes are fetched without a reader; `nil`: as the library's policy says.
    ///   - decryption: how the bytes are decrypted; `nil`: they are plain.
    /// - Returns: the medium, made now or before; no request has been sent yet.
    public func media(
        _ item: StorageItem,
        account: String? = nil,
        prefetch: PrefetchPolicy? = nil,
        decryption: Decryption? = nil
    ) -> Media {
        self.media(item.path, account: account, prefetch: prefetch, decryption: decryption)
    }

    /// The medium for the file at a path; the same object for the same file.
    ///
    /// For an invalid path, the medium's first `describe` or `read` throws
    /// ``/WeirSource/SourceError`` with `invalidRequest`.
    ///
    /// - Parameters:
    ///   - path: a path that starts with a slash, such as `/Music/song.mp3`.
    ///   - account: the account that the bytes belong to; see ``MediaRequest/account``.
    ///   - prefetch: which bytes are fetched without a reader; `nil`: as the library's policy says.
    ///   - decryption: how the bytes are decrypted; `nil`: they are plain.
    /// - Returns: the medium, made now or before; no request has been sent yet.
    public func media(
        _ path: String,
        account: String? = nil,
        prefetch: PrefetchPolicy? = nil,
        decryption: Decryption? = nil
    ) -> Media {
        do throws(SourceError) {
            return self.library.media(
                try FolderPath(path),
                in: try self.storage.get(),
                account: account ?? self.account,
                load: self.library.load(prefetching: prefetch),
                decryption: decryption
            )
        } catch {
            return self.library.refused(path, error)
        }
    }
}

/// A file or a folder in a storage.
public struct StorageItem: Hashable, Sendable, Identifiable {
    /// The path in the storage; ``LibraryStorage`` opens the file by this path.
    public let path: String
    /// The name, without a folder: text on one line.
    public let name: String
    /// Whether it is a folder.
    public let isFolder: Bool
    /// The length of the file in bytes, if the storage reports it.
    public let length: Int64?
    /// The media type, if the storage reports it.
    public let mediaType: MediaType?
    /// The time of the last change, if the storage reports it.
    public let modified: Date?

    /// The path.
    public var id: String { self.path }

    init(_ entry: FolderEntry, at path: FolderPath) {
        self.isFolder = entry.kind == .folder
        self.path = (self.isFolder ? path.asFolder : path.asFile).description
        self.name = entry.name
        self.length = entry.length
        self.mediaType = entry.mediaType
        self.modified = entry.modifiedSeconds.map { Date(timeIntervalSince1970: Double($0)) }
    }
}

/// The items of a folder; see ``LibraryStorage/list(_:)``.
public struct StorageListing: AsyncSequence, Sendable {
    private let folder: FolderPath
    private let pages: FolderPages

    init(_ folder: FolderPath, _ pages: FolderPages) {
        self.folder = folder
        self.pages = pages
    }

    /// Starts the iteration.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(folder: self.folder, pages: self.pages.makeAsyncIterator())
    }

    /// Requests one page after the other.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let folder: FolderPath
        fileprivate var pages: FolderPages.AsyncIterator
        fileprivate var page: ArraySlice<FolderEntry> = []

        /// The next item; `nil` after the last.
        ///
        /// - Throws: as ``LibraryStorage/list(_:)`` says.
        public mutating func next() async throws -> StorageItem? {
            while self.page.isEmpty {
                guard let page = try await self.pages.next() else { return nil }
                self.page = page[...]
            }
            return try self.page.popFirst().map {
                StorageItem($0, at: try self.folder.appending($0.name))
            }
        }
    }
}
