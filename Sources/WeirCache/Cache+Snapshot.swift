// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// The state of a cache at one moment, for code that shows it repeatedly.
///
/// Taking a snapshot reads no file.
package struct CacheSnapshot: Sendable {
    /// One resource.
    package struct Entry: Hashable, Sendable {
        /// The resource.
        package let id: ResourceID
        /// The held generation.
        package let generation: GenerationID
        /// How many bytes are held.
        package let heldByteCount: Int64
        /// Milliseconds since 1970.
        package let lastUse: Int64
        /// Whether the resource is pinned.
        package let isPinned: Bool
        /// Whether the resource is in use.
        package let isOpen: Bool
        /// A number that grows when the held, compared or damaged bytes of an open resource change.
        package let revision: UInt64
    }

    /// The most recently used resources, the newest first.
    package let entries: [Entry]
    /// How many resources the cache has.
    package let resourceCount: Int
    /// How many bytes the cache holds of all resources.
    package let heldByteCount: Int64
    /// The limits in force.
    package let limits: CacheLimits
    /// How many bytes the disk has left; `nil` if the system does not report it.
    package let freeBytes: Int64?
}

extension CacheSnapshot.Entry {
    /// Describes a resource of another process's cache; `nil` if its identifier is malformed.
    package init?(_ resource: CachedResource) {
        guard let id = ResourceID(resource.identifier) else { return nil }
        self.init(
            id: id,
            generation: resource.generation,
            heldByteCount: resource.heldByteCount,
            lastUse: Int64(exactly: (resource.lastUse.timeIntervalSince1970 * 1000).rounded()) ?? 0,
            isPinned: resource.isPinned,
            isOpen: false,
            revision: 0
        )
    }
}

/// The held, verified and damaged byte ranges of a resource.
package struct CachedPieces: Hashable, Sendable {
    /// The held bytes.
    package var held: RangeSet<Int64>
    /// The held bytes that this process has written, or compared with their checksums.
    package var verified: RangeSet<Int64>
    /// The damaged bytes: holes that have not been filled since.
    package var damaged: RangeSet<Int64>

    /// No bytes.
    package static let empty = CachedPieces(
        held: RangeSet(),
        verified: RangeSet(),
        damaged: RangeSet()
    )

    /// The ranges of a completely held resource that this process has not compared.
    package static func whole(_ length: Int64) -> CachedPieces {
        CachedPieces(held: RangeSet(0..<length), verified: RangeSet(), damaged: RangeSet())
    }
}

extension Cache {
    /// Takes a snapshot of the cache.
    ///
    /// Takes time in proportion to `count` and to the number of open resources, and one call of the
    /// system. While the list of many resources is being read after a start, the snapshot has only the resources that
    /// were used since.
    ///
    /// - Parameter count: how many of the most recently used resources to name.
    /// - Returns: the snapshot.
    package func snapshot(of count: Int) -> CacheSnapshot {
        let freeBytes = try? self.files.disk.freeByteCount(ofDirectory: self.directory)
        let (known, open, index, limits) = self.state.withLock { state in
            (
                state.index.newest(count), state.live.kept,
                (state.index.count, state.index.total), state.limits
            )
        }
        let revisions = Dictionary(
            open.map { ($0.key, $0.state.withLock { $0.revision }) },
            uniquingKeysWith: { first, _ in first }
        )
        return CacheSnapshot(
            entries: known.map { entry in
                CacheSnapshot.Entry(
                    id: entry.id,
                    generation: entry.generation,
                    heldByteCount: entry.heldCount,
                    lastUse: entry.lastUse,
                    isPinned: entry.isPinned,
                    isOpen: entry.users > 0,
                    revision: revisions[entry.id] ?? 0
                )
            },
            resourceCount: index.0,
            heldByteCount: index.1,
            limits: limits,
            freeBytes: freeBytes
        )
    }

    /// Lists the resources of some identifiers; leaves out those that are no longer in the cache.
    ///
    /// Waits for the disk.
    ///
    /// - Throws: ``CacheError`` with `io`, `closed`.
    package func resources(_ ids: [ResourceID]) throws(CacheError) -> [CachedResource] {
        let rows = self.work.perform { () -> Result<[CatalogueRow], CacheError> in
            self.announceAll()
            return Result { () throws(CacheError) in try self.catalogue.rows(of: ids) }
        }
        return try rows.get().map(\.resource)
    }

    /// The byte ranges of a resource; does not count as a use.
    ///
    /// If the resource is not open, reads its journal, which takes some 100 µs.
    ///
    /// - Returns: `nil` if the resource is not in the cache, or its journal cannot be read now.
    package func pieces(of id: ResourceID) -> CachedPieces? {
        try? self.learn(id)
        let (generation, entry) = self.state.withLock { ($0.live[id], $0.index[id]) }
        if let generation { return generation.state.withLock { $0.pieces } }
        guard let entry,
            case .sound(let journal, _) = self.files.read(id, entry.generation, for: .reading)
        else {
            return nil
        }
        return CachedPieces(held: journal.held, verified: RangeSet(), damaged: RangeSet())
    }

    /// Reads a completely held resource as its origin sent it, and checks each block's checksum.
    ///
    /// - Returns: `nil` if there is no such resource.
    /// - Throws: ``CacheError`` with `incomplete` if the resource is not completely held, or its
    ///   length is unknown; the errors of ``open(_:)``.
    package func reading(identifier: String) throws(CacheError) -> ByteReading? {
        guard let id = ResourceID(identifier.lowercased()),
            let generation = try self.open(id, isUse: false)
        else { return nil }
        guard let length = generation.description.length, generation.holds(0..<length) else {
            generation.release(isUse: false)
            throw CacheError.incomplete(generation)
        }
        return ByteReading(
            resource: generation.description,
            lowerBound: 0,
            upperBound: length,
            producer: HeldProducer(generation, length: length)
        )
    }
}

/// Yields the bytes of a completely held resource; throws at damaged bytes.
private final class HeldProducer: ChunkProducer {
    /// The maximum size of a chunk in bytes.
    private static let chunkSize: Int64 = 1 << 20

    private let generation: Generation
    private let length: Int64
    private let position = Mutex<Int64>(0)

    init(_ generation: Generation, length: Int64) {
        self.generation = generation
        self.length = length
    }

    deinit {
        self.generation.release(isUse: false)
    }

    func next() async throws -> ByteChunk? {
        try Task.checkCancellation()
        let start = self.position.withLock { $0 }
        guard start < self.length else { return nil }
        let end = min(self.length, start + Self.chunkSize)
        guard let chunk = try self.generation.checkedChunk(at: start, before: end) else {
            throw CacheError.incomplete(self.generation)
        }
        self.position.withLock { $0 = chunk.range.upperBound }
        return chunk
    }

    func cancel() {}
}
