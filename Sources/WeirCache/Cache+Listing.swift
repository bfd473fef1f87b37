// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Cache {
    /// Lists all resources that the next start will find, the most recently used first.
    ///
    /// Waits for the disk. Leaves out resources without a validator, which are removed after their last user.
    ///
    /// - Throws: ``CacheError`` with `io`, `closed`.
    package func resources() throws(CacheError) -> [CachedResource] {
        let rows = self.work.perform { () -> Result<[CatalogueRow], CacheError> in
            self.announceAll()
            self.flush()
            return Result { () throws(CacheError) in try self.catalogue.rows() }
        }
        let current = self.state.withLock { state in
            Dictionary(state.index.entries.map { ($0.id, $0) }) { first, _ in first }
        }
        return try rows.get().reversed().compactMap { row in
            guard let entry = current[row.id], entry.generation == row.generation else {
                return nil
            }
            var row = row
            row.heldCount = entry.heldCount
            return row.resource
        }
    }

    /// Lists the resources of a directory, as its owner last wrote them to the catalogue.
    ///
    /// The directory need not have an owner now. Sizes of resources that are being fetched may be half a second
    /// old, last uses half a minute.
    ///
    /// - Returns: the resources, the most recently used first; empty if there is no such directory.
    /// - Throws: ``CacheError`` with `notADirectory`, `notWritable`, `newerFormat`, `io`.
    package static func resources(
        inDirectory directory: String,
        files: any FileOperations = PosixFiles()
    ) throws(CacheError) -> [CachedResource] {
        let disk = Disk(files: files)
        let path = Self.absolutePath(directory)
        guard try Self.directoryExists(path, disk) else { return [] }
        return try Catalogue.list(inDirectory: path, disk).reversed().map(\.resource)
    }

    /// Whether a directory is, or was, a cache.
    package static func exists(inDirectory directory: String) -> Bool {
        let disk = Disk(files: PosixFiles())
        let path = "\(Self.absolutePath(directory))/\(DirectoryLock.fileName)"
        return (try? disk.status(of: path)) != nil
    }

    /// Removes a resource from the cache.
    ///
    /// Open readers go on; the next reader fetches the resource again.
    ///
    /// Waits for the disk: when it returns, no power cut brings the resource back.
    ///
    /// - Parameter identifier: 32 hexadecimal digits.
    /// - Returns: whether there was such a resource.
    /// - Throws: ``CacheError`` with `notWritable`, `io`, `closed`.
    @discardableResult
    package func remove(identifier: String) throws(CacheError) -> Bool {
        guard let id = ResourceID(identifier.lowercased()) else { return false }
        try self.learn(id)
        let removed = try self.state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw CacheError.closed(self.directory) }
            return state.remove(id)
        }
        guard let removed else { return false }
        try self.removeNow([removed])
        return true
    }

    /// Removes a resource from the cache like ``remove(identifier:)``, and returns at once.
    ///
    /// Lookups no longer find the resource when the function returns; a thread of the cache removes
    /// its files. After a kill before that, the next start finds the resource again.
    ///
    /// - Parameter identifier: 32 hexadecimal digits.
    /// - Throws: ``CacheError`` with `closed`.
    package func discard(identifier: String) throws(CacheError) {
        guard let id = ResourceID(identifier.lowercased()) else { return }
        try self.learn(id)
        try self.state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw CacheError.closed(self.directory) }
            // Queued under the lock, so that a close comes before both or after both.
            if let removed = state.remove(id) { self.work.enqueue { self.remove([removed]) } }
        }
    }

    /// Removes all resources from the cache.
    ///
    /// Open readers go on; the next reader fetches its resource again.
    ///
    /// Waits for the disk: when it returns, no power cut brings a resource back.
    ///
    /// - Returns: the number of removed resources and bytes, including those kept for this process only.
    /// - Throws: ``CacheError`` with `notWritable`, `io`, `closed`.
    @discardableResult
    package func removeAll() throws(CacheError) -> CacheRemoval {
        self.waitForIndex()
        let removed = try self.state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw CacheError.closed(self.directory) }
            return state.index.entries.compactMap { state.remove($0.id) }
        }
        try self.removeNow(removed)
        return CacheRemoval(
            resourceCount: removed.count,
            byteCount: removed.reduce(0) { $0.addingClamped($1.heldCount) }
        )
    }

    private func removeNow(_ generations: [State.Superseded]) throws(CacheError) {
        let failure = self.work.perform {
            self.remove(generations)
        }
        if let failure { throw failure }
    }
}

/// The result of removing all resources from the cache.
public struct CacheRemoval: Hashable, Sendable {
    /// How many resources were removed.
    public var resourceCount: Int
    /// How many bytes of these resources the cache held.
    ///
    /// The bytes of a resource in use become free on the disk when its last reader has left.
    public var byteCount: Int64

    /// Creates a result with the given numbers.
    public init(resourceCount: Int, byteCount: Int64) {
        self.resourceCount = resourceCount
        self.byteCount = byteCount
    }
}
