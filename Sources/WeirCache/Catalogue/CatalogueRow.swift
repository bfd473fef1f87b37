// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import WeirSource

/// A resource as the catalogue stores it.
struct CatalogueRow: Hashable, Sendable {
    var id: ResourceID
    var generation: GenerationID
    var display: String
    var account: String
    var length: Int64?
    var heldCount: Int64
    var mediaType: String?
    var name: String?
    /// Milliseconds since 1970.
    var lastUse: Int64
    /// When the origin last confirmed this generation: milliseconds since 1970, 0 if unknown.
    var confirmed: Int64
    /// Milliseconds since 1970.
    var created: Int64
    var isPinned: Bool
    /// Whether the journal may have grown since ``heldCount`` was written.
    ///
    /// If so, the journal must be read after a kill.
    var isChanging: Bool

    /// Describes a resource from its journal.
    ///
    /// A resource that no request finds any more (``unfindable``) gets no last use, so that it is
    /// evicted first.
    init?(_ journal: Journal, lastUse: Int64, isChanging: Bool) {
        let header = journal.header
        guard let id = ResourceID(header.resource), let generation = GenerationID(header.generation)
        else { return nil }
        self.id = id
        self.generation = generation
        self.display = header.display
        self.account = header.account
        self.length = journal.length
        self.heldCount = journal.held.byteCount
        self.mediaType = header.mediaType
        self.name = header.name
        self.lastUse = Self.isUnfindable(header.account) ? 0 : lastUse
        self.confirmed = 0
        self.created = header.created
        self.isPinned = journal.isPinned
        self.isChanging = isChanging
    }

    /// Describes a generation that was just created.
    init(
        _ header: JournalHeader,
        id: ResourceID,
        generation: GenerationID,
        length: Int64?,
        heldCount: Int64,
        lastUse: Int64,
        confirmed: Int64
    ) {
        self.id = id
        self.generation = generation
        self.display = header.display
        self.account = header.account
        self.length = length
        self.heldCount = heldCount
        self.mediaType = header.mediaType
        self.name = header.name
        self.lastUse = lastUse
        self.confirmed = confirmed
        self.created = header.created
        self.isPinned = false
        self.isChanging = true
    }

    /// Reads a row of the table.
    ///
    /// - Returns: `nil` for a row that this code did not write.
    init?(_ row: Row) {
        guard let identifier = String.fromDatabaseValue(row["identifier"]),
            let id = ResourceID(identifier),
            let bits = Int64.fromDatabaseValue(row["generation"]),
            let heldCount = Int64.fromDatabaseValue(row["held"]),
            ResourceLength.checked(heldCount) != nil,
            let lastUse = Int64.fromDatabaseValue(row["last_use"]),
            let confirmed = Int64.fromDatabaseValue(row["confirmed"]),
            let created = Int64.fromDatabaseValue(row["created"]),
            let pinned = Int64.fromDatabaseValue(row["pinned"]),
            let changing = Int64.fromDatabaseValue(row["changing"])
        else { return nil }
        self.id = id
        self.generation = GenerationID(rawValue: UInt64(bitPattern: bits))
        self.display = String.fromDatabaseValue(row["display"]) ?? ""
        self.account = String.fromDatabaseValue(row["account"]) ?? ""
        self.length = Int64.fromDatabaseValue(row["length"]).flatMap(ResourceLength.checked)
        self.heldCount = heldCount
        self.mediaType = String.fromDatabaseValue(row["media_type"])
        self.name = String.fromDatabaseValue(row["name"])
        self.lastUse = lastUse
        self.confirmed = confirmed
        self.created = created
        self.isPinned = pinned != 0
        self.isChanging = changing != 0
    }

    /// Whether no request finds a resource any more.
    ///
    /// An earlier version of Weir stored such a row for a credential without an account. In that
    /// version, all these credentials shared a scope.
    private static func isUnfindable(_ account: String) -> Bool {
        account == "credential" || account.hasPrefix("header:") || account.hasPrefix("user:")
    }

    /// The same test as an SQL condition on a row.
    static let unfindable =
        "account = 'credential' OR account GLOB 'header:*' OR account GLOB 'user:*'"

    /// The resource in a list of the cache.
    var resource: CachedResource {
        CachedResource(
            identifier: self.id.description,
            generation: self.generation,
            display: self.display,
            account: self.account,
            length: self.length,
            heldByteCount: self.heldCount,
            mediaType: self.mediaType.flatMap(MediaType.init(headerValue:)),
            name: self.name,
            lastUse: Date(timeIntervalSince1970: Double(self.lastUse) / 1000),
            created: Date(timeIntervalSince1970: Double(self.created) / 1000),
            isPinned: self.isPinned
        )
    }
}
