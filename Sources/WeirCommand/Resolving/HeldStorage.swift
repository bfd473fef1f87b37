// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirClouds
import WeirSource

/// The folders of a source, listed by its origin, or from the cache if the origin is away or Weir
/// is offline.
///
/// A complete listing is stored in the cache folder. Without the origin, a folder has the entries
/// of its last listing, or the files that the cache holds. An origin that answers with 429 or 5xx
/// is away, too; an origin that answers with 401, 403 or 404 is not. A folder on this machine is
/// always read directly, and its listing is not stored.
final class HeldStorage: MediaStorage {
    /// The entries that replace a folder's listing while its origin is away.
    enum View: Sendable {
        /// All entries of the last listing, and the held files.
        case listed
        /// The files of which the cache holds bytes.
        case held
    }

    private struct State {
        var held: HeldFiles?
        var outage: OriginOutage?
    }

    private let base: any MediaStorage
    private let location: MediaLocation
    private let library: MediaLibrary
    private let view: View
    private let state = Mutex(State())

    init(
        _ base: any MediaStorage,
        of location: MediaLocation,
        in library: MediaLibrary,
        view: View
    ) {
        self.base = base
        self.location = location
        self.library = library
        self.view = library.configuration.isOffline ? .held : view
    }

    func displayName(of path: FolderPath) -> String { self.base.displayName(of: path) }

    func identity(of path: FolderPath) -> String? { self.base.identity(of: path) }

    var credentialScope: CredentialScope { self.base.credentialScope }

    func source(of path: FolderPath) -> any ByteSource { self.base.source(of: path) }

    func entry(at path: FolderPath) async throws -> FolderEntry {
        if let failure = self.reasonNotToAsk(at: path) {
            return try await self.held(at: path, failure)
        }
        do {
            return try await self.base.entry(at: path)
        } catch let error as SourceError {
            guard OriginState.isOutage(error) else {
                self.refused(path, error)
                throw error
            }
            self.location.state.note(error)
            return try await self.held(at: path, error)
        }
    }

    func entries(in path: FolderPath) -> FolderPages {
        FolderPages {
            let pages = Pages(of: self, path)
            return { try await pages.next() }
        }
    }

    /// The outage for which the cache replaced the origin; `nil` if the origin answered all
    /// requests.
    var outage: OriginOutage? { self.state.withLock { $0.outage } }

    /// The reason not to send a request to the origin now; `nil` if Weir may send one.
    private func reasonNotToAsk(at path: FolderPath) -> SourceError? {
        guard !self.location.isLocal else { return nil }
        guard self.library.configuration.isOffline else { return self.location.state.recentFailure }
        return SourceError(
            .offline,
            "The cache holds nothing of \(self.displayName(of: path)), and Weir is offline; play it online first."
        )
    }

    /// The entry at a path, from the held files and the stored listings.
    ///
    /// - Throws: `failure` if none of them has the entry.
    private func held(at path: FolderPath, _ failure: SourceError) async throws -> FolderEntry {
        let held = try await self.held(or: failure)
        if let entry = held.entry(at: path) {
            self.note(failure, held)
            return entry
        }
        guard self.view == .listed else { throw failure }
        if let listing = self.listing(of: path) {
            self.note(failure, held, listing)
            return FolderEntry(name: path.name ?? "/", kind: .folder)
        }
        guard let (folder, name) = path.place, let listing = self.listing(of: folder),
            let entry = listing.entries.first(where: { $0.name.utf8.elementsEqual(name.utf8) })
        else { throw failure }
        self.note(failure, held, listing)
        return entry
    }

    /// The entries of a folder, from the held files and the stored listings.
    ///
    /// - Throws: `failure` without a listing and without held files in the folder.
    private func held(in path: FolderPath, _ failure: SourceError) async throws -> [FolderEntry] {
        let held = try await self.held(or: failure)
        var entries = held.entries(in: path)
        let listing = self.view == .listed ? self.listing(of: path) : nil
        guard listing != nil || !entries.isEmpty else { throw failure }
        if let listing {
            entries = listing.entries + entries.notNamed(in: listing.entries)
        }
        self.note(failure, held, listing)
        return entries
    }

    /// Records that the held files or a listing replaced the failed origin.
    private func note(
        _ failure: SourceError,
        _ held: HeldFiles,
        _ listing: FolderListings.Listing? = nil
    ) {
        self.state.withLock { state in
            let listed = [state.outage?.listed, listing?.seconds].compactMap(\.self).min()
            state.outage = OriginOutage(
                subject: self.location.subject,
                error: failure,
                listed: listed,
                held: held
            )
        }
    }

    private func held(or failure: SourceError) async throws -> HeldFiles {
        if let held = self.state.withLock({ $0.held }) { return held }
        let resources: [CachedResource]
        do {
            resources = try await self.library.resources()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw failure
        }
        let held = HeldFiles(resources, of: self.location, in: self.library)
        self.state.withLock { $0.held = held }
        return held
    }

    private func listing(of path: FolderPath) -> FolderListings.Listing? {
        self.location.key(of: path.asFolder, in: self.library)
            .flatMap { self.library.listings[$0.identifier] }
    }

    private func keep(_ entries: [FolderEntry], of path: FolderPath) {
        guard let key = self.location.key(of: path.asFolder, in: self.library) else { return }
        guard !self.location.state.forbidsStoring else {
            return self.library.listings.remove(key.identifier)
        }
        self.library.listings.keep(
            FolderListings.Listing(
                entries: entries,
                seconds: WallClock.seconds(),
                account: key.account
            ),
            as: key.identifier
        )
    }

    /// Removes the listing of a folder that the origin refuses to list.
    private func refused(_ path: FolderPath, _ error: SourceError) {
        guard [.unauthorized, .forbidden, .notFound].contains(error.code) else { return }
        guard let key = self.location.key(of: path.asFolder, in: self.library) else { return }
        self.library.listings.remove(key.identifier)
    }

    /// The pages of one listing.
    private actor Pages {
        private let storage: HeldStorage
        private let path: FolderPath
        private var pages: FolderPages.AsyncIterator?
        private var isOver = false
        /// The entries so far; `nil` if there are too many to store.
        private var entries: [FolderEntry]? = []

        init(of storage: HeldStorage, _ path: FolderPath) {
            self.storage = storage
            self.path = path
        }

        func next() async throws -> [FolderEntry]? {
            guard !self.isOver else { return nil }
            if self.pages == nil, let failure = self.storage.reasonNotToAsk(at: self.path) {
                self.isOver = true
                return try await self.storage.held(in: self.path, failure)
            }
            let pages = self.pages ?? self.storage.base.entries(in: self.path).makeAsyncIterator()
            self.pages = pages
            do {
                guard let page = try await pages.next() else {
                    self.isOver = true
                    if let entries { self.storage.keep(entries, of: self.path) }
                    return nil
                }
                self.entries?.append(contentsOf: page)
                if let count = self.entries?.count, count > FolderListings.mostEntries {
                    self.entries = nil
                }
                return page
            } catch let error as SourceError {
                self.isOver = true
                guard OriginState.isOutage(error) else {
                    self.storage.refused(self.path, error)
                    throw error
                }
                self.storage.location.state.note(error)
                // After the received pages come the remaining entries from the cache.
                guard let came = self.entries else { throw error }
                return try await self.storage.held(in: self.path, error).notNamed(in: came)
            }
        }
    }
}

extension [FolderEntry] {
    /// The entries whose names do not occur among others, compared by bytes.
    fileprivate func notNamed(in others: [FolderEntry]) -> [FolderEntry] {
        let names = Set(others.map { [UInt8]($0.name.utf8) })
        return self.filter { !names.contains([UInt8]($0.name.utf8)) }
    }
}
