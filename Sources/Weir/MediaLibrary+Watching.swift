// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
package import WeirLoader
import WeirSharing
package import WeirSource

// For code that shows what a library does. All of it is answered by the owner of the directory alone: another process
// has only what `resources()` tells.
extension MediaLibrary {
    /// What the cache holds now, from memory.
    ///
    /// - Parameter count: how many resources to name, those that were used last.
    /// - Returns: `nil` while another process owns the directory.
    package func cacheSnapshot(of count: Int) -> CacheSnapshot? {
        self.access.owner?.cache.snapshot(of: count)
    }

    /// The cached resources of some identifiers.
    ///
    /// Waits for the disk.
    package func resources(_ ids: [ResourceID]) throws(CacheError) -> [CachedResource] {
        try self.access.owner?.cache.resources(ids) ?? []
    }

    /// What is held of a resource, byte by byte; `nil` if that is not known here.
    package func pieces(of id: ResourceID) -> CachedPieces? {
        self.access.owner?.cache.pieces(of: id)
    }

    /// What is fetched now, by the identifier of the resource.
    package func fetchActivities() async -> [String: [FetchActivity]] {
        await self.access.owner?.fetchActivities() ?? [:]
    }

    /// The bytes of a resource that is held whole, as they came from its origin; `nil` if there is none here.
    ///
    /// - Throws: `CacheError`, with `incomplete` if not all of it is held.
    package func reading(identifier: String) throws(CacheError) -> ByteReading? {
        try self.access.owner?.cache.reading(identifier: identifier)
    }
}
