// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Synchronization
import WeirSource

/// The list of all resources in the cache: an SQLite database that the journals can rebuild.
///
/// It is written in WAL mode with `synchronous = NORMAL`. A kill loses nothing. A power cut loses the last changes,
/// which the next start restores from the journals. Used on the cache's queue and in its lanes.
final class Catalogue: Sendable {
    /// The file's name in the cache directory.
    static let fileName = "catalogue.sqlite"
    /// The version of the tables that this code writes, and the newest that it reads.
    static let version = 2

    /// The path of the database.
    let path: String
    /// `nil` once it is closed.
    private let database: Mutex<DatabaseQueue?>

    /// Whether the database is in memory, because no file could be written.
    private let isInMemory: Bool

    init(path: String, database: DatabaseQueue, isInMemory: Bool = false) {
        self.path = path
        self.isInMemory = isInMemory
        self.database = Mutex(database)
    }

    /// A changed size or last use.
    struct Update: Hashable, Sendable {
        var id: ResourceID
        var generation: GenerationID
        var heldCount: Int64
        /// The length; `nil` leaves the stored length.
        var length: Int64?
        var lastUse: Int64
        var confirmed: Int64
        /// Whether the journal is about to grow; `nil` leaves the stored mark.
        var isChanging: Bool?
    }

    /// All rows, the least recently used first.
    func rows() throws(CacheError) -> [CatalogueRow] {
        try self.access("read the catalogue") { database in
            guard let rows = try Self.rows(database) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
            return rows
        }
    }

    /// The rows of some resources, in no order.
    func rows(of ids: [ResourceID]) throws(CacheError) -> [CatalogueRow] {
        try self.access("read the catalogue") { database in
            let statement = try database.cachedStatement(
                sql: "SELECT * FROM resource WHERE identifier = ?"
            )
            return try ids.compactMap { id in
                try Row.fetchOne(statement, arguments: [id.description]).flatMap(CatalogueRow.init)
            }
        }
    }

    /// The entry of a resource; `nil` if the catalogue has no row of it.
    func known(_ id: ResourceID) throws(CacheError) -> KnownGeneration? {
        try self.access("read the catalogue") { database in
            let statement = try database.cachedStatement(
                sql: "SELECT \(KnownGeneration.columns) FROM resource WHERE identifier = ?"
            )
            // Not `fetchOne`: only the row of a living cursor has SQLite's own conversion of a damaged
            // value.
            let cursor = try Row.fetchCursor(statement, arguments: [id.description])
            return try withExtendedLifetime(cursor) {
                try cursor.next().flatMap(KnownGeneration.init)
            }
        }
    }

    /// Adds rows, or replaces the rows of the same resources except for their pins.
    ///
    /// - Parameter rows: the rows; the transaction takes each one just before it writes it.
    /// - Throws: ``CacheError``.
    func put(_ rows: some Sequence<CatalogueRow>) throws(CacheError) {
        try self.access("write the catalogue") { database in
            for row in rows {
                try database.execute(
                    sql: """
                        INSERT INTO resource (identifier, generation, display, account, length, held,
                            media_type, name, last_use, confirmed, created, pinned, changing)
                        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                        ON CONFLICT (identifier) DO UPDATE SET generation = excluded.generation,
                            display = excluded.display, account = excluded.account,
                            length = excluded.length, held = excluded.held,
                            media_type = excluded.media_type, name = excluded.name,
                            last_use = excluded.last_use, confirmed = excluded.confirmed,
                            created = excluded.created,
                            changing = excluded.changing
                        """,
                    arguments: [
                        row.id.description, Int64(bitPattern: row.generation.rawValue), row.display,
                        row.account, row.length, row.heldCount, row.mediaType, row.name,
                        row.lastUse, row.confirmed, row.created, row.isPinned ? 1 : 0,
                        row.isChanging ? 1 : 0,
                    ]
                )
            }
        }
    }

    /// Writes sizes and last uses of those generations that the catalogue still has.
    ///
    /// - Parameter updates: the rows; the transaction takes each one just before it writes it.
    /// - Throws: ``CacheError``.
    func update(_ updates: some Sequence<Update>) throws(CacheError) {
        try self.access("write the catalogue") { database in
            let statement = try database.cachedStatement(
                sql: """
                    UPDATE resource SET held = ?, length = coalesce(?, length), last_use = ?, confirmed = ?,
                        changing = coalesce(?, changing)
                    WHERE identifier = ? AND generation = ?
                    """
            )
            for update in updates {
                try statement.execute(arguments: [
                    update.heldCount, update.length, update.lastUse, update.confirmed,
                    update.isChanging.map { $0 ? 1 : 0 },
                    update.id.description, Int64(bitPattern: update.generation.rawValue),
                ])
            }
        }
    }

    /// Stores whether the user wants a resource kept.
    func pin(_ id: ResourceID, _ isPinned: Bool) throws(CacheError) {
        try self.access("write the catalogue") { database in
            try database.execute(
                sql: "UPDATE resource SET pinned = ? WHERE identifier = ?",
                arguments: [isPinned ? 1 : 0, id.description]
            )
        }
    }

    /// Removes the rows of generations; a row that now belongs to a newer generation stays.
    func remove(_ generations: [(ResourceID, GenerationID)]) throws(CacheError) {
        guard !generations.isEmpty else { return }
        try self.access("write the catalogue") { database in
            let statement = try database.cachedStatement(
                sql: "DELETE FROM resource WHERE identifier = ? AND generation = ?"
            )
            for (id, generation) in generations {
                try statement.execute(arguments: [
                    id.description, Int64(bitPattern: generation.rawValue),
                ])
            }
        }
    }

    /// Closes the database.
    ///
    /// A second call does nothing.
    ///
    /// - Parameter isClean: whether the catalogue agrees with the journals, so that the next start need not compare
    ///   them.
    /// - Throws: ``CacheError``.
    func close(isClean: Bool) throws(CacheError) {
        if self.isInMemory, let rows = try? self.rows() {
            Self.write(rows, to: self.path, isClean: isClean)
        } else if isClean {
            try self.access("write the catalogue") { database in
                try database.execute(sql: "UPDATE state SET clean = 1")
            }
        }
        let closing = self.database.withLock { database in
            let closing = database
            database = nil
            return closing
        }
        do { try closing?.close() } catch {
            throw Self.failure("close the catalogue", self.path, error)
        }
    }

    private func access<Result>(
        _ attempt: String,
        _ body: (Database) throws -> Result
    ) throws(CacheError) -> Result {
        guard let database = self.database.withLock({ $0 }) else {
            throw CacheError.closed(self.path)
        }
        do { return try database.write(body) } catch {
            throw Self.failure(attempt, self.path, error)
        }
    }

    /// Reads every row.
    ///
    /// - Returns: `nil` if this code did not write one of the rows.
    static func rows(_ database: Database) throws -> [CatalogueRow]? {
        var rows: [CatalogueRow] = []
        let cursor = try Row.fetchCursor(
            database,
            sql: "SELECT * FROM resource ORDER BY last_use, identifier"
        )
        while let row = try cursor.next() {
            guard let known = CatalogueRow(row) else { return nil }
            rows.append(known)
        }
        return rows
    }

    /// Translates an SQLite error into a ``CacheError``.
    static func failure(_ attempt: String, _ path: String, _ error: any Error) -> CacheError {
        guard let error = error as? DatabaseError else {
            return CacheError(
                .io,
                "Could not \(attempt) \(path): \(error); check the disk.",
                path: path,
                cause: error
            )
        }
        let (code, reason, advice): (CacheError.Code, String, String) =
            switch error.resultCode {
            case .SQLITE_FULL:
                (.full, "no space is left on the disk", "free some space")
            case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_CANTOPEN, .SQLITE_AUTH:
                (.notWritable, "this user has no permission", "make the directory writable")
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                (.io, "it is damaged", "open the cache again, which rebuilds it")
            default:
                (.io, "SQLite reported error \(error.resultCode.rawValue)", "check the disk")
            }
        return CacheError(
            code,
            "Could not \(attempt) \(path): \(reason); \(advice).",
            path: path,
            cause: error
        )
    }
}
