// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import GRDB

extension Catalogue {
    /// A catalogue that was opened; everything in it, the least recently used first; and whether the last owner closed it,
    /// so that it says what the journals say.
    typealias Opened = (catalogue: Catalogue, known: [KnownGeneration], isClean: Bool)

    /// Opens a directory's catalogue, or makes one.
    ///
    /// One that is damaged is thrown away: the journals say all that it said, but for pins and last
    /// uses. One that the last owner did not close is checked first. Until it is closed it then bears
    /// a mark, made durable before anything else happens, that it was not.
    ///
    /// - Throws: ``CacheError`` with `newerFormat` for one of a later version, which is left as it is;
    ///   `full`, `notWritable`, `io`.
    static func open(inDirectory directory: String, _ disk: Disk) throws(CacheError) -> Opened {
        let path = "\(directory)/\(Self.fileName)"
        if try self.exists(path, disk), let opened = try self.openExisting(path) { return opened }
        do throws(FileFailure) {
            for suffix in ["", "-wal", "-shm", "-journal"] { try disk.remove(path + suffix) }
            // SQLite would make it readable for every user, and gives its other files the same mode.
            disk.close(try disk.open(path, for: .creating))
        } catch {
            throw CacheError("write the catalogue", path: path, failure: error)
        }
        do {
            let database = try DatabaseQueue(path: path, configuration: Self.configuration())
            try database.write { try Self.createTables($0) }
            let catalogue = Catalogue(path: path, database: database)
            return (catalogue, [], isClean: false)
        } catch {
            throw Self.failure("write the catalogue", path, error)
        }
    }

    /// Lists a directory without owning it.
    ///
    /// - Returns: nothing where there is no catalogue, or none with tables yet.
    static func list(
        inDirectory directory: String,
        _ disk: Disk
    ) throws(CacheError) -> [CatalogueRow] {
        let path = "\(directory)/\(Self.fileName)"
        guard try self.exists(path, disk) else { return [] }
        do {
            let database = try DatabaseQueue(
                path: path,
                configuration: Self.configuration(isReadOnly: true)
            )
            return try database.read { database in
                // Its owner is making it just now.
                guard try Self.checkVersion(database, path) > 0 else { return [] }
                guard let rows = try Self.rows(database) else {
                    throw DatabaseError(resultCode: .SQLITE_CORRUPT)
                }
                return rows
            }
        } catch {
            throw (error as? CacheError) ?? Self.failure("read the catalogue", path, error)
        }
    }

    private static func exists(_ path: String, _ disk: Disk) throws(CacheError) -> Bool {
        do throws(FileFailure) {
            return try disk.status(of: path) != nil
        } catch {
            throw CacheError("read the catalogue", path: path, failure: error)
        }
    }

    /// Opens what is there.
    ///
    /// - Returns: `nil` if it is damaged.
    private static func openExisting(_ path: String) throws(CacheError) -> Opened? {
        do {
            // Opening it for writing would touch it, so a later version is looked for before.
            let looking = try DatabaseQueue(
                path: path,
                configuration: Self.configuration(isReadOnly: true)
            )
            // What an earlier version wrote is made anew from the journals.
            let version = try looking.read { try Self.checkVersion($0, path) }
            guard version == Self.version else { return nil }
            try looking.close()
            let database = try DatabaseQueue(path: path, configuration: Self.configuration())
            let isClean = try database.read { database in
                try Bool.fetchOne(database, sql: "SELECT clean FROM state") ?? false
            }
            guard try isClean || database.read({ try Self.isSound($0) }),
                let known = try database.read({ try Self.known($0) })
            else { return nil }
            try Self.mark(database)
            let catalogue = Catalogue(path: path, database: database)
            return (catalogue, known, isClean)
        } catch let error as CacheError {
            throw error
        } catch {
            switch (error as? DatabaseError)?.resultCode {
            case .SQLITE_NOTADB, .SQLITE_CORRUPT, .SQLITE_ERROR, .SQLITE_FORMAT, .SQLITE_MISMATCH:
                return nil
            default:
                throw Self.failure("open the catalogue", path, error)
            }
        }
    }

    private static func configuration(isReadOnly: Bool = false) -> Configuration {
        var configuration = Configuration()
        // The log of changes is emptied at a MiB and used again; SQLite's own 4 MiB would count much in a small cache.
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 256")
        }
        configuration.readonly = isReadOnly
        configuration.journalMode = .wal
        // Others only read, which in WAL mode delays nothing but the folding in of the log.
        configuration.busyMode = .timeout(5)
        configuration.label = "weir.catalogue"
        return configuration
    }

    /// The version of the tables; 0 if there are none.
    @discardableResult
    private static func checkVersion(_ database: Database, _ path: String) throws -> Int {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        guard version <= Self.version else { throw CacheError.newerFormat(path, version: version) }
        return version
    }

    private static func isSound(_ database: Database) throws -> Bool {
        try String.fetchOne(database, sql: "PRAGMA quick_check(1)") == "ok"
    }

    private static func known(_ database: Database) throws -> [KnownGeneration]? {
        var known: [KnownGeneration] = []
        let cursor = try Row.fetchCursor(
            database,
            sql: "SELECT \(KnownGeneration.columns) FROM resource ORDER BY 4, identifier"
        )
        while let row = try cursor.next() {
            guard let generation = KnownGeneration(row) else { return nil }
            known.append(generation)
        }
        return known
    }

    /// Says durably that the catalogue is not closed.
    private static func mark(_ database: DatabaseQueue) throws {
        try database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA synchronous = FULL")
            try database.execute(sql: "UPDATE state SET clean = 0")
            try database.execute(sql: "PRAGMA synchronous = NORMAL")
        }
    }

    private static func createTables(_ database: Database) throws {
        try database.execute(
            sql: """
                CREATE TABLE resource (
                    identifier TEXT PRIMARY KEY NOT NULL,
                    generation INTEGER NOT NULL,
                    display TEXT NOT NULL,
                    account TEXT NOT NULL,
                    length INTEGER,
                    held INTEGER NOT NULL,
                    media_type TEXT,
                    name TEXT,
                    last_use INTEGER NOT NULL,
                    confirmed INTEGER NOT NULL,
                    created INTEGER NOT NULL,
                    pinned INTEGER NOT NULL,
                    changing INTEGER NOT NULL
                ) WITHOUT ROWID;
                CREATE TABLE state (clean INTEGER NOT NULL);
                INSERT INTO state (clean) VALUES (0);
                PRAGMA user_version = \(Self.version);
                """
        )
    }
}
