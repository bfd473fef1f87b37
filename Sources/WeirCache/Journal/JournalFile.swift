// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A journal on disk, and the position at which its only writer continues.
///
/// The file is open only while it is written, so that thousands of generations need no descriptor
/// for their journals. Used by one thread at a time.
struct JournalFile: Sendable {
    /// The cache directory.
    private let directory: String
    private let name: StoredFileName
    /// The fixed header.
    let header: JournalHeader
    /// How many records it has.
    private(set) var recordCount: Int

    /// The offset of the next record.
    private var end: Int64
    /// The checksum from which the next record continues.
    private var checksum: Checksum

    /// Describes a journal that was read.
    init(_ id: ResourceID, _ generation: GenerationID, in directory: String, journal: Journal) {
        self.name = StoredFileName(id, generation, .journal)
        self.directory = directory
        self.header = journal.header
        self.recordCount = journal.recordCount
        self.end = Int64(journal.end)
        self.checksum = journal.checksum
    }

    /// Describes a new journal; ``create(_:)`` or ``rewrite(_:_:)`` writes its file.
    init(
        _ id: ResourceID,
        _ generation: GenerationID,
        in directory: String,
        header: JournalHeader
    ) {
        self.name = StoredFileName(id, generation, .journal)
        self.directory = directory
        self.header = header
        self.recordCount = 0
        self.end = 0
        self.checksum = Checksum()
    }

    /// The path of the file; made when it is needed, since a reader needs none.
    var path: String { self.name.path(in: self.directory) }

    private var folder: String { self.name.resource.folder(in: self.directory) }

    /// Creates the file with its header; makes the file and the directory durable.
    mutating func create(_ disk: Disk) throws(CacheError) {
        let bytes = try self.headerBytes()
        do throws(FileFailure) {
            let descriptor = try disk.open(self.path, for: .creating)
            defer { disk.close(descriptor) }
            try Self.write(bytes, at: 0, to: descriptor, disk)
            try disk.synchronize(descriptor)
            try disk.synchronizeDirectory(self.folder)
        } catch {
            throw CacheError("write the journal", path: self.path, failure: error)
        }
        self.take(bytes, recordCount: 0)
    }

    /// Whether the file exists.
    var isThere: Bool { self.end > 0 }

    /// Appends records.
    ///
    /// Bytes that a record of kind `held` claims must be durable already. A failed append adds no
    /// record. It may leave a partly written one, which readers ignore and the next append cuts
    /// off.
    ///
    /// - Returns: the open file. ``Disk/synchronize(_:)`` makes the records durable; the caller
    ///   closes the file.
    mutating func append(_ records: [JournalRecord], _ disk: Disk) throws(CacheError) -> CInt {
        var bytes: [UInt8] = []
        var checksum = self.checksum
        for record in records { record.append(to: &bytes, after: &checksum) }
        let descriptor: CInt
        do throws(FileFailure) {
            descriptor = try disk.open(self.path, for: .updating)
        } catch {
            throw CacheError("write the journal", path: self.path, failure: error)
        }
        do throws(FileFailure) {
            let size = try disk.size(of: descriptor)
            // A shorter file means that another program changed it. Records after a gap would be
            // lost, so append nothing.
            guard size >= self.end else {
                throw FileFailure(
                    errno: SystemErrors.inputOutput,
                    operation: .look,
                    path: self.path
                )
            }
            if size > self.end { try disk.truncate(descriptor, to: self.end) }
            try Self.write(bytes, at: self.end, to: descriptor, disk)
        } catch {
            disk.close(descriptor)
            throw CacheError("write the journal", path: self.path, failure: error)
        }
        self.end += Int64(bytes.count)
        self.checksum = checksum
        self.recordCount += records.count
        return descriptor
    }

    /// Writes a new file with these records, which then replaces the old file.
    mutating func rewrite(_ records: [JournalRecord], _ disk: Disk) throws(CacheError) {
        var bytes = try self.headerBytes()
        var checksum = Self.checksum(endOf: bytes)
        for record in records { record.append(to: &bytes, after: &checksum) }
        let temporary = self.path + ".new"
        do throws(FileFailure) {
            let descriptor = try disk.open(temporary, for: .replacing)
            defer { disk.close(descriptor) }
            try Self.write(bytes, at: 0, to: descriptor, disk)
            try disk.synchronize(descriptor)
            try disk.rename(temporary, to: self.path)
            try disk.synchronizeDirectory(self.folder)
        } catch {
            throw CacheError("write the journal", path: self.path, failure: error)
        }
        self.take(bytes, recordCount: records.count)
    }

    private mutating func take(_ bytes: [UInt8], recordCount: Int) {
        self.end = Int64(bytes.count)
        self.checksum = Self.checksum(endOf: bytes)
        self.recordCount = recordCount
    }

    private func headerBytes() throws(CacheError) -> [UInt8] {
        do {
            let bytes = try self.header.encoded()
            guard bytes.count <= JournalFormat.maximumPayload else {
                throw JournalError.tooLong(offset: JournalFormat.prologueSize)
            }
            return bytes
        } catch {
            throw CacheError(
                .io,
                "Could not write the journal \(self.path): the origin's description of the resource is too long to "
                    + "store.",
                path: self.path,
                cause: error
            )
        }
    }

    /// The checksum at the end of a sound journal's bytes.
    private static func checksum(endOf bytes: [UInt8]) -> Checksum {
        Checksum(JournalFormat.integer(UInt32.self, in: bytes[...], at: bytes.count - 4) ?? 0)
    }

    private static func write(
        _ bytes: [UInt8],
        at offset: Int64,
        to descriptor: CInt,
        _ disk: Disk
    ) throws(FileFailure) {
        try bytes.withUnsafeBufferPointer { buffer throws(FileFailure) in
            try disk.write(descriptor, from: UnsafeRawBufferPointer(buffer), at: offset)
        }
    }
}
