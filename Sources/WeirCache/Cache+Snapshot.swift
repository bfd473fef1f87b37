// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// What a cache holds at one moment, from memory alone: for code that shows it again and again.
package struct CacheSnapshot: Sendable {
    /// One resource.
    package struct Entry: Hashable, Sendable {
        /// The resource.
        package let id: ResourceID
        /// Which generation of it is held.
        package let generation: GenerationID
        /// How many bytes are held.
        package let heldByteCount: Int64
        /// Milliseconds since 1970.
        package let lastUse: Int64
        /// Whether it is kept, whatever the limits are.
        package let isPinned: Bool
        /// Whether it is in use.
        package let isOpen: Bool
        /// A number that grows when what is held, compared or damaged of an open resource changes.
        package let revision: UInt64
    }

    /// The resources used last, the newest first.
    package let entries: [Entry]
    /// How many there are in all.
    package let resourceCount: Int
    /// How many bytes are held of all.
    package let heldByteCount: Int64
    /// The limits that hold.
    package let limits: CacheLimits
    /// How many bytes the disk has left; `nil` if it does not say.
    package let freeBytes: Int64?
}

extension CacheSnapshot.Entry {
    /// A resource as a list shows it, of a cache that another process owns; `nil` for an identifier that is none.
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

/// What is held of a resource, byte by byte.
package struct CachedPieces: Hashable, Sendable {
    /// The bytes that are held.
    package var held: RangeSet<Int64>
    /// Those of them that this process has written, or compared with their checksums.
    package var verified: RangeSet<Int64>
    /// Bytes that were held, and turned out not to be what was written: holes that have not been filled since.
    package var damaged: RangeSet<Int64>

    /// No bytes.
    package static let empty = CachedPieces(
        held: RangeSet(),
        verified: RangeSet(),
        damaged: RangeSet()
    )

    /// Those of a resource that is held whole, and was not compared by this process.
    package static func whole(_ length: Int64) -> CachedPieces {
        CachedPieces(held: RangeSet(0..<length), verified: RangeSet(), damaged: RangeSet())
    }
}

extension Cache {
    /// What is held now.
    ///
    /// Takes time in proportion to `count`, and one call of the system.
    ///
    /// - Parameter count: how many resources to name, those that were used last.
    /// - Returns: what there is.
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

    /// The resources of some identifiers, as a list shows them; those that are no longer there are left out.
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

    /// What is held of a resource, byte by byte; does not count as a use.
    ///
    /// Of a resource that is not open its journal is read, which takes some 100 µs.
    ///
    /// - Returns: `nil` if it is not there, or its journal cannot be read now.
    package func pieces(of id: ResourceID) -> CachedPieces? {
        let (generation, entry) = self.state.withLock { ($0.live[id], $0.index[id]) }
        if let generation { return generation.state.withLock { $0.pieces } }
        guard let entry, case .sound(let journal) = self.files.read(id, entry.generation) else {
            return nil
        }
        return CachedPieces(held: journal.held, verified: RangeSet(), damaged: RangeSet())
    }

    /// The bytes of a resource that is held whole, as they came from its origin, each block compared with its checksum.
    ///
    /// - Returns: `nil` if there is no such resource.
    /// - Throws: ``CacheError`` with `incomplete` if not all of it is held, or its length is not known; as
    ///   ``open(_:)`` does.
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

/// Yields a resource that is held whole; what turns out to be damaged ends it.
private final class HeldProducer: ChunkProducer {
    /// The most bytes of a chunk.
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
        guard let slice = try self.generation.checkedSlice(at: start, before: end) else {
            throw CacheError.incomplete(self.generation)
        }
        self.position.withLock { $0 = slice.range.upperBound }
        return ByteChunk(slice)
    }

    func cancel() {}
}
