// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
package import WeirLoader
import WeirSharing
package import WeirSource

// For code that shows the work of a library. Only the owner of the directory has these values.
// Another process has only the list of `resources()`.
extension MediaLibrary {
    /// The contents of the cache now, from memory.
    ///
    /// - Parameter count: how many resources to name, the most recently used ones.
    /// - Returns: the contents; `nil` while another process owns the directory.
    package func cacheSnapshot(of count: Int) -> CacheSnapshot? {
        self.access.owner?.cache.snapshot(of: count)
    }

    /// The cached resources with these identifiers.
    ///
    /// Blocks for disk access.
    package func resources(_ ids: [ResourceID]) throws(CacheError) -> [CachedResource] {
        try self.access.owner?.cache.resources(ids) ?? []
    }

    /// The held ranges of a resource; `nil` if they are unknown in this process.
    package func pieces(of id: ResourceID) -> CachedPieces? {
        self.access.owner?.cache.pieces(of: id)
    }

    /// The running fetches, by the identifier of the resource.
    package func fetchActivities() async -> [String: [FetchActivity]] {
        await self.access.owner?.fetchActivities() ?? [:]
    }

    /// The bytes of a resource that is held whole, as the origin sent them; `nil` if it is not
    /// found.
    ///
    /// - Throws: `CacheError`, with `incomplete` if not all of it is held.
    package func reading(identifier: String) throws(CacheError) -> ByteReading? {
        try self.access.owner?.cache.reading(identifier: identifier)
    }
}
