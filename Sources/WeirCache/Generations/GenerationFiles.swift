// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Creates, reads and removes the files of a cache directory's generations.
struct GenerationFiles: Sendable {
    /// The cache directory.
    let directory: String
    let disk: Disk
    /// The open data files.
    let openFiles: OpenFiles
    /// The folders whose names may not be durable yet.
    private let newFolders = NewFolders()

    init(directory: String, disk: Disk, openFiles: OpenFiles) {
        self.directory = directory
        self.disk = disk
        self.openFiles = openFiles
    }

    /// The result of reading a generation's files.
    enum Reading {
        /// Both files exist, and the journal is valid; the data file is open.
        case sound(Journal, StoredFile)
        /// A file is missing, or the journal is invalid.
        case unprovable
        /// A later version of Weir wrote the journal.
        case newer(CacheError)
        /// The system did not allow reading the files.
        case failed(CacheError, FileFailure)
    }

    /// A data file that is created before its first byte is written.
    func newData(_ id: ResourceID, _ generation: GenerationID) -> StoredFile {
        let path = StoredFileName(id, generation, .data).path(in: self.directory)
        let (disk, folder, newFolders) = (self.disk, id.folder(in: self.directory), self.newFolders)
        return StoredFile(path: path, disk: disk, openFiles: self.openFiles) {
            () throws(FileFailure) in
            if try disk.createDirectory(folder) { newFolders.add(folder) }
            return try disk.open(path, for: .creating)
        }
    }

    /// Makes the name of a resource's folder durable, unless it is already.
    func synchronizeFolder(of id: ResourceID) throws(CacheError) {
        guard self.newFolders.take(id.folder(in: self.directory)) else { return }
        do throws(FileFailure) {
            try self.disk.synchronizeDirectory(self.directory)
        } catch {
            self.newFolders.add(id.folder(in: self.directory))
            throw CacheError("make the cached file", path: self.directory, failure: error)
        }
    }

    /// A journal that does not exist yet.
    func newJournal(
        _ id: ResourceID,
        _ generation: GenerationID,
        _ header: JournalHeader
    ) -> JournalFile {
        JournalFile(id, generation, in: self.directory, header: header)
    }

    /// A journal that was read.
    func journal(
        _ id: ResourceID,
        _ generation: GenerationID,
        _ journal: Journal
    ) -> JournalFile {
        JournalFile(id, generation, in: self.directory, journal: journal)
    }

    /// Reads a generation's journal, and compares it with the file's name and with the data file.
    ///
    /// - Parameters:
    ///   - id: the resource.
    ///   - generation: the generation.
    ///   - purpose: what the data file is opened for.
    /// - Returns: the journal and the open file, or the reason why they cannot be used.
    func read(
        _ id: ResourceID,
        _ generation: GenerationID,
        for purpose: FilePurpose = .updating
    ) -> Reading {
        let (name, generationName) = (id.description, generation.description)
        let stem = StoredFileName.stem(name, generationName, in: self.directory)
        let path = stem + StoredFileName.Kind.journal.rawValue
        let dataPath = stem + StoredFileName.Kind.data.rawValue
        var opened: CInt?
        defer { if let opened { self.disk.close(opened) } }
        do throws(FileFailure) {
            let bytes = try self.disk.bytes(ofFile: path, limit: JournalFormat.maximumSize)
            let descriptor = try self.disk.openToRead(dataPath, or: purpose)
            opened = descriptor
            let (data, identity) = try self.disk.status(of: descriptor)
            guard data.kind == .file else { return .unprovable }
            let journal: Journal
            do throws(JournalError) {
                journal = try self.journal(bytes, descriptor, size: data.size)
            } catch {
                guard case .newerFormat(let version, _) = error else { return .unprovable }
                return .newer(CacheError.newerFormat(path, version: version))
            }
            guard journal.header.resource == name, journal.header.generation == generationName
            else { return .unprovable }
            opened = nil
            let file = StoredFile(
                descriptor: descriptor,
                identity: identity,
                path: dataPath,
                disk: self.disk,
                openFiles: self.openFiles
            )
            return .sound(journal, file)
        } catch {
            if SystemErrors.isAbsence(error.errno) || SystemErrors.isNoFile(error.errno) {
                return .unprovable
            }
            let attempt = error.path == dataPath ? "open the cached file" : "read the journal"
            let failure = CacheError(attempt, path: error.path ?? path, failure: error)
            return .failed(failure, error)
        }
    }

    /// Reads a journal, and compares those pieces of the data file that may not be durable.
    ///
    /// There are such pieces only if the last owner did not close the cache.
    private func journal(
        _ bytes: [UInt8],
        _ data: CInt,
        size: Int64
    ) throws(JournalError) -> Journal {
        try Journal(bytes, dataSize: size) { piece in
            withUnsafeTemporaryAllocation(
                byteCount: Int(BlockPiece.blockSize),
                alignment: 64
            ) { space in
                self.disk.checksum(of: piece.range, ofFile: data, in: space)
            } == piece.checksum
        }
    }

    /// Removes a generation's files, so that no power cut brings it back.
    ///
    /// Removes the journal first, durably: without a journal, no byte of the data file is held.
    /// Leaves the files of a later version.
    func remove(_ id: ResourceID, _ generation: GenerationID) throws(CacheError) {
        let journal = StoredFileName(id, generation, .journal).path(in: self.directory)
        do throws(FileFailure) {
            if try self.isNewer(journal) { return }
            if try self.disk.remove(journal) {
                try self.disk.synchronizeDirectory(id.folder(in: self.directory))
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
            // A journal that exists but cannot be opened can still be removed.
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
}

/// The folders that were created, until the directory above them was synchronized.
private final class NewFolders: Sendable {
    private let paths = Mutex<Set<String>>([])

    func add(_ path: String) { _ = self.paths.withLock { $0.insert(path) } }

    /// Removes a folder; returns whether it was there.
    func take(_ path: String) -> Bool { self.paths.withLock { $0.remove(path) != nil } }
}
