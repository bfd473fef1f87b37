// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import WeirSource

/// The part of a ``CatalogueRow`` that the cache keeps in memory for every resource.
struct KnownGeneration: Hashable, Sendable {
    var id: ResourceID
    var generation: GenerationID
    var heldCount: Int64
    /// Milliseconds since 1970.
    var lastUse: Int64
    /// See ``CatalogueRow/confirmed``.
    var confirmed: Int64 = 0
    var isPinned: Bool
    /// See ``CatalogueRow/isChanging``.
    var isChanging: Bool
}

extension KnownGeneration {
    /// The columns that ``init(_:)-(Row)`` reads; the fourth is the last use.
    ///
    /// A resource that no request finds any more gets no last use, so that it is evicted first.
    static let columns = """
        identifier, generation, held, CASE WHEN \(CatalogueRow.unfindable) THEN 0 ELSE last_use END, confirmed, pinned,
        changing
        """

    /// Reads a row of ``columns``.
    ///
    /// - Returns: `nil` for a row that this code did not write.
    init?(_ row: Row) {
        // SQLite converts these values, since a start reads a row for each resource. It makes a value of another type
        // 0, which damages no more than this row: a generation without files is not used.
        guard let identifier = row[0] as String?, let id = ResourceID(identifier),
            let bits = row[1] as Int64?, let heldCount = row[2] as Int64?,
            ResourceLength.checked(heldCount) != nil, let lastUse = row[3] as Int64?,
            let confirmed = row[4] as Int64?, let pinned = row[5] as Int64?,
            let changing = row[6] as Int64?
        else { return nil }
        self.id = id
        self.generation = GenerationID(rawValue: UInt64(bitPattern: bits))
        self.heldCount = heldCount
        self.lastUse = lastUse
        self.confirmed = confirmed
        self.isPinned = pinned != 0
        self.isChanging = changing != 0
    }

    /// Copies the part of a row that stays in memory.
    init(_ row: CatalogueRow) {
        self.id = row.id
        self.generation = row.generation
        self.heldCount = row.heldCount
        self.lastUse = row.lastUse
        self.confirmed = row.confirmed
        self.isPinned = row.isPinned
        self.isChanging = row.isChanging
    }
}
