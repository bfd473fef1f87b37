// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import GRDB

extension Catalogue {
    /// An opened catalogue, its entries (the least recently used first), and whether the last owner
    /// closed it.
    ///
    /// If the last owner closed it, the catalogue agrees with the journals. The entries are `nil` if there are more of
    /// them than are read at once.
    typealias Opened = (catalogue: Catalogue, known: [KnownGeneration]?, isClean: Bool)

    /// Opens a directory's catalogue, or creates one.
    ///
    /// Deletes a damaged catalogue: the journals have all its facts except the last uses. If the
    /// last owner did not close the catalogue, checks it first. Before anything else happens, a
    /// durable mark says that the catalogue is open. A clean close clears the mark.
    ///
    /// If nothing can be written, because the disk is full or read-only, the catalogue is held in
    /// memory. So the resources that fill the disk can still be read and removed.
    /// ``close(isClean:)`` then writes the catalogue.
    ///
    /// - Throws: ``CacheError`` with `newerFormat` for a later version, which stays unchanged;
    ///   `exhausted`, `io`.
    static func open(
        inDirectory directory: String,
        atOnce limit: Int,
        _ disk: Disk
    ) throws(CacheError) -> Opened {
        do throws(CacheError) {
            return try self.openOnDisk(inDirectory: directory, atOnce: limit, disk)
        } catch {
            guard [.full, .notWritable, .io].contains(error.code) else { throw error }
            do {
                return try self.openInMemory(inDirectory: directory, disk)
            } catch let known as CacheError {
                throw known
            } catch _ {
                throw error
            }
        }
    }

    private static func openOnDisk(
        inDirectory directory: String,
        atOnce limit: Int,
        _ disk: Disk
    ) throws(CacheError) -> Opened {
        let path = "\(directory)/\(Self.fileName)"
        if try self.exists(path, disk), let opened = try self.openExisting(path, atOnce: limit) {
            return opened
        }
        do throws(FileFailure) {
            for suffix in ["", "-wal", "-shm", "-journal"] { try disk.remove(path + suffix) }
            // SQLite would create a file that every user can read. Its other files get the same
            // mode.
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

    /// Opens a catalogue in memory, with the file's rows if these can be read without writing.
    private static func openInMemory(inDirectory directory: String, _ disk: Disk) throws -> Opened {
        let path = "\(directory)/\(Self.fileName)"
        let rows = (try self.rowsWithoutWriting(path, disk)) ?? []
        let database = try DatabaseQueue(configuration: self.configuration(isInMemory: true))
        try database.write { try Self.createTables($0) }
        let catalogue = Catalogue(path: path, database: database, isInMemory: true)
        try catalogue.put(rows)
        return (catalogue, rows.map(KnownGeneration.init), isClean: false)
    }

    /// Reads the rows of a catalogue file, without writing it or creating another file beside it.
    ///
    /// - Returns: `nil` if there is no file, if it cannot be read without writing, or if its log
    ///   holds changes.
    /// - Throws: ``CacheError`` with `newerFormat`.
    private static func rowsWithoutWriting(
        _ path: String,
        _ disk: Disk
    ) throws(CacheError) -> [CatalogueRow]? {
        guard (try? disk.status(of: path)) != nil,
            ((try? disk.status(of: "\(path)-wal"))?.size ?? 0) == 0
        else { return nil }
        let name = path.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "?"): "%3f"
            case UInt8(ascii: "#"): "%23"
            case UInt8(ascii: "%"): "%25"
            default: String(decoding: [byte], as: UTF8.self)
            }
        }
        do {
            // If this SQLite does not support URIs, it finds no file of this name, and only the
            // journals are used.
            let database = try DatabaseQueue(
                path: "file:\(name.joined())?immutable=1",
                configuration: Self.configuration(isReadOnly: true, isInMemory: true)
            )
            return try database.read { database in
                guard try Self.checkVersion(database, path) == Self.version else { return nil }
                return try Self.rows(database)
            }
        } catch {
            guard let error = error as? CacheError else { return nil }
            throw error
        }
    }

    /// Writes the rows of a catalogue in memory to its file.
    ///
    /// If that fails, this function removes the file, and the next start creates a new one from the
    /// journals.
    static func write(_ rows: [CatalogueRow], to path: String, isClean: Bool) {
        let files = ["", "-wal", "-shm", "-journal"].map { path + $0 }
        let disk = Disk(files: PosixFiles())
        for file in files { _ = try? disk.remove(file) }
        do {
            disk.close(try disk.open(path, for: .creating))
            let database = try DatabaseQueue(path: path, configuration: Self.configuration())
            try database.write { try Self.createTables($0) }
            let catalogue = Catalogue(path: path, database: database)
            try catalogue.put(rows)
            try catalogue.close(isClean: isClean)
        } catch {
            for file in files { _ = try? disk.remove(file) }
        }
    }

    /// Lists a directory, without owning it.
    ///
    /// - Returns: the catalogue's rows; rows made from the journals if there is no readable
    ///   catalogue; an empty list if the catalogue has no tables yet.
    static func list(
        inDirectory directory: String,
        _ disk: Disk
    ) throws(CacheError) -> [CatalogueRow] {
        let path = "\(directory)/\(Self.fileName)"
        let files = GenerationFiles(
            directory: directory,
            disk: disk,
            openFiles: OpenFiles(maximum: 1)
        )
        // There is no catalogue if the last owner could not write it.
        guard try self.exists(path, disk) else { return try files.rowsOfJournals() }
        do throws(CacheError) {
            return try self.listOnDisk(path)
        } catch {
            // Reading creates files beside the catalogue. The disk may have no room for them, or
            // this user no permission.
            guard [.full, .notWritable, .io].contains(error.code) else { throw error }
            if let rows = try self.rowsWithoutWriting(path, disk) { return rows }
            return try files.rowsOfJournals()
        }
    }

    private static func listOnDisk(_ path: String) throws(CacheError) -> [CatalogueRow] {
        do {
            let database = try DatabaseQueue(
                path: path,
                configuration: Self.configuration(isReadOnly: true)
            )
            return try database.read { database in
                // Version 0: the owner is just creating the tables.
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

    /// Opens the existing catalogue.
    ///
    /// - Returns: `nil` if it is damaged, or of an earlier version, and must be rebuilt.
    private static func openExisting(
        _ path: String,
        atOnce limit: Int
    ) throws(CacheError) -> Opened? {
        do {
            // Opening the catalogue for writing would change it, so first look for a later version.
            let looking = try DatabaseQueue(
                path: path,
                configuration: Self.configuration(isReadOnly: true)
            )
            // A catalogue of an earlier version is rebuilt from the journals.
            let version = try looking.read { try Self.checkVersion($0, path) }
            guard version == Self.version else { return nil }
            try looking.close()
            let database = try DatabaseQueue(path: path, configuration: Self.configuration())
            let isClean = try database.read { database in
                try Bool.fetchOne(database, sql: "SELECT clean FROM state") ?? false
            }
            if try isClean && database.read({ try Self.has(moreThan: limit, $0) }) {
                try Self.mark(database)
                return (Catalogue(path: path, database: database), nil, isClean)
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

    private static func configuration(
        isReadOnly: Bool = false,
        isInMemory: Bool = false
    ) -> Configuration {
        var configuration = Configuration()
        configuration.label = "weir.catalogue"
        guard !isInMemory else {
            configuration.readonly = isReadOnly
            return configuration
        }
        // SQLite empties its log at 1 MiB and uses it again; the default of 4 MiB is too much for a
        // small cache.
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA wal_autocheckpoint = 256")
        }
        configuration.readonly = isReadOnly
        configuration.journalMode = .wal
        // Other processes only read. In WAL mode, that delays nothing but the checkpoint of the
        // log.
        configuration.busyMode = .timeout(5)
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

    /// Reads all entries over a connection of its own, so that others can be looked up meanwhile.
    ///
    /// - Returns: the entries, the least recently used first.
    /// - Throws: ``CacheError``, also if this code did not write one of the rows.
    func allKnown() throws(CacheError) -> [KnownGeneration] {
        do {
            let database = try DatabaseQueue(
                path: self.path,
                configuration: Self.configuration(isReadOnly: true)
            )
            guard let known = try database.read({ try Self.known($0) }) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT)
            }
            return known
        } catch {
            throw Self.failure("read the catalogue", self.path, error)
        }
    }

    private static func has(moreThan limit: Int, _ database: Database) throws -> Bool {
        try Int.fetchOne(
            database,
            sql: "SELECT 1 FROM resource LIMIT 1 OFFSET ?",
            arguments: [limit]
        ) != nil
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

    /// Marks the catalogue durably as not closed.
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
