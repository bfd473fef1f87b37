// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The files of a cache directory's generations: making them, reading them, taking them away.
struct GenerationFiles: Sendable {
    /// The cache directory.
    let directory: String
    let disk: Disk
    /// How many data files are open, and which.
    let openFiles: OpenFiles

    /// What a generation's files say.
    enum Reading {
        /// Both files are there, and the journal is one.
        case sound(Journal)
        /// A file is missing, or the journal proves nothing.
        case unprovable
        /// A later version of Weir wrote the journal.
        case newer(CacheError)
        /// The system did not let the files be read.
        case failed(CacheError, FileFailure)
    }

    /// Makes an empty data file, whose name nothing has had before.
    ///
    /// - Throws: ``CacheError``; its `errno` is `EEXIST` if the name is taken.
    func createData(_ id: ResourceID, _ generation: GenerationID) throws(CacheError) -> StoredFile {
        let path = StoredFileName(id, generation, .data).path(in: self.directory)
        do throws(FileFailure) {
            let folder = self.folder(of: id)
            if try self.disk.createDirectory(folder) {
                try self.disk.synchronizeDirectory(self.directory)
            }
            return try self.stored(try self.disk.open(path, for: .creating), path)
        } catch {
            throw CacheError("make the cached file", path: path, failure: error)
        }
    }

    /// Opens a data file that is there.
    func openData(_ id: ResourceID, _ generation: GenerationID) throws(FileFailure) -> StoredFile {
        let path = StoredFileName(id, generation, .data).path(in: self.directory)
        return try self.stored(try self.disk.openToRead(path, or: .updating), path)
    }

    private func stored(_ descriptor: CInt, _ path: String) throws(FileFailure) -> StoredFile {
        try StoredFile(
            descriptor: descriptor,
            path: path,
            disk: self.disk,
            openFiles: self.openFiles
        )
    }

    /// A journal to be made.
    func newJournal(
        _ id: ResourceID,
        _ generation: GenerationID,
        _ header: JournalHeader
    ) -> JournalFile {
        JournalFile(
            path: StoredFileName(id, generation, .journal).path(in: self.directory),
            folder: self.folder(of: id),
            header: header
        )
    }

    /// A journal that was read.
    func journal(
        _ id: ResourceID,
        _ generation: GenerationID,
        _ journal: Journal
    ) -> JournalFile {
        JournalFile(
            path: StoredFileName(id, generation, .journal).path(in: self.directory),
            folder: self.folder(of: id),
            journal: journal
        )
    }

    /// Reads a generation's journal and compares it with its names and its data file.
    func read(_ id: ResourceID, _ generation: GenerationID) -> Reading {
        let path = StoredFileName(id, generation, .journal).path(in: self.directory)
        let dataPath = StoredFileName(id, generation, .data).path(in: self.directory)
        do throws(FileFailure) {
            guard let data = try self.disk.status(of: dataPath), data.kind == .file else {
                return .unprovable
            }
            let bytes = try self.disk.bytes(ofFile: path, limit: JournalFormat.maximumSize)
            return self.reading(bytes, (dataPath, data.size), path: path, id, generation)
        } catch {
            if SystemErrors.isAbsence(error.errno) { return .unprovable }
            return .failed(CacheError("read the journal", path: path, failure: error), error)
        }
    }

    private func reading(
        _ bytes: [UInt8],
        _ data: (path: String, size: Int64),
        path: String,
        _ id: ResourceID,
        _ generation: GenerationID
    ) -> Reading {
        // Opened if there is a piece to compare: after an owner that did not end well.
        var descriptor: CInt?
        defer { if let descriptor { self.disk.close(descriptor) } }
        do throws(JournalError) {
            let journal = try Journal(bytes, dataSize: data.size) { piece in
                descriptor = descriptor ?? (try? self.disk.open(data.path, for: .reading))
                guard let descriptor else { return false }
                let size = Int(BlockPiece.blockSize)
                return withUnsafeTemporaryAllocation(byteCount: size, alignment: 64) { space in
                    self.disk.checksum(of: piece.range, ofFile: descriptor, in: space)
                } == piece.checksum
            }
            guard journal.header.resource == id.description,
                journal.header.generation == generation.description
            else { return .unprovable }
            return .sound(journal)
        } catch {
            guard case .newerFormat(let version, _) = error else { return .unprovable }
            return .newer(CacheError.newerFormat(path, version: version))
        }
    }

    /// Takes a generation's files away, so that no power cut brings it back: the journal goes
    /// first, durably, since without it the data claims nothing.
    ///
    /// Those of a later version are left.
    func remove(_ id: ResourceID, _ generation: GenerationID) throws(CacheError) {
        let journal = StoredFileName(id, generation, .journal).path(in: self.directory)
        do throws(FileFailure) {
            if try self.isNewer(journal) { return }
            if try self.disk.remove(journal) {
                try self.disk.synchronizeDirectory(self.folder(of: id))
            }
            for kind in [StoredFileName.Kind.newJournal, .data] {
                try self.disk.remove(StoredFileName(id, generation, kind).path(in: self.directory))
            }
        } catch {
            throw CacheError("remove the cached file", path: journal, failure: error)
        }
    }

    private func isNewer(_ journal: String) throws(FileFailure) -> Bool {
        let start: [UInt8]
        do throws(FileFailure) {
            start = try self.disk.bytes(
                ofFile: journal,
                limit: Int64(JournalFormat.prologueSize)
            )
        } catch {
            // What cannot be opened for another reason than that it is not there can still be removed.
            guard SystemErrors.isShortage(error.errno) else { return false }
            throw error
        }
        do throws(JournalError) {
            _ = try Journal.version(of: start[...])
            return false
        } catch {
            if case .newerFormat = error { return true }
            return false
        }
    }

    private func folder(of id: ResourceID) -> String { "\(self.directory)/\(id.folder)" }
}
