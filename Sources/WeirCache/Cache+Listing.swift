// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Cache {
    /// Everything that is held and will be at the next start, the most recently used first.
    ///
    /// Waits for the disk. What a user without a validator reads is not listed: it goes with its user.
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

    /// What a directory holds, owned or not, as its owner last wrote it down: the sizes of what is
    /// being fetched may be half a second old, last uses half a minute.
    ///
    /// - Returns: the most recently used first; nothing if there is no such directory.
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

    /// Takes a resource out of the cache.
    ///
    /// Its readers go on; the next one starts afresh.
    ///
    /// Waits for the disk: when it returns, no power cut brings the resource back.
    ///
    /// - Parameter identifier: 32 hexadecimal digits.
    /// - Returns: whether there was such a resource.
    /// - Throws: ``CacheError`` with `notWritable`, `io`, `closed`.
    @discardableResult
    package func remove(identifier: String) throws(CacheError) -> Bool {
        guard let id = ResourceID(identifier.lowercased()) else { return false }
        let removed = try self.state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw CacheError.closed(self.directory) }
            return state.remove(id)
        }
        guard let removed else { return false }
        try self.removeNow([removed])
        return true
    }

    /// Takes everything out of the cache.
    ///
    /// Readers go on; the next one starts afresh.
    ///
    /// Waits for the disk: when it returns, no power cut brings a resource back.
    ///
    /// - Returns: what there was, what is kept for this process only included.
    /// - Throws: ``CacheError`` with `notWritable`, `io`, `closed`.
    @discardableResult
    package func removeAll() throws(CacheError) -> CacheRemoval {
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

/// What was taken out of the cache when all of it was.
public struct CacheRemoval: Hashable, Sendable {
    /// How many resources.
    public var resourceCount: Int
    /// How many bytes were held of them.
    ///
    /// The disk has those in use back when their last reader has gone.
    public var byteCount: Int64

    /// Describes what was taken away.
    public init(resourceCount: Int, byteCount: Int64) {
        self.resourceCount = resourceCount
        self.byteCount = byteCount
    }
}
