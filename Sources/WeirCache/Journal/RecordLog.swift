// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A file of the cache directory that belongs to no resource: a prologue, then appended records.
///
/// Numbers are little-endian.
///
/// ```
/// prologue
///      0   8  magic
///      8   4  format version
///     12   8  a random number, a new one each time that the file is rewritten
///     20   4  CRC-32C of bytes 0 ..< 20
/// record, any number of them
///      0   1  kind, not 0
///      1   4  m, at most 64 KiB
///      5   m  payload
///    5+m   4  CRC-32C of bytes 0 ..< 5+m, continued from the checksum before the record
/// ```
///
/// A record is durable when ``append(_:)`` returns. The file ends at the first record that is
/// incomplete or unsound. The bytes after it are ignored, and cut off before the next record is
/// written. To rewrite the file, a new one is written beside the old one and renamed. The file is
/// open only while it is read or written. Used by one thread at a time, in the process that owns
/// the directory.
package struct RecordLog: Sendable {
    /// The properties of one kind of file.
    package struct Format: Sendable {
        /// The file's name in the cache directory.
        var name: String
        /// The first eight bytes.
        var magic: [UInt8]
        /// The version that this code writes, and the newest that it reads.
        var version: UInt32
        /// The maximum number of bytes that are read of a file.
        package var maximumSize: Int64

        /// Describes a kind of file.
        package init(
            name: String,
            magic: StaticString,
            version: UInt32,
            maximumSize: Int64 = 128 << 20
        ) {
            self.name = name
            self.magic = magic.withUTF8Buffer { Array($0.prefix(8)) }
            self.version = version
            self.maximumSize = maximumSize
        }
    }

    /// A record: a kind, and a payload that its writer understands.
    package struct Record: Hashable, Sendable {
        /// The kind; 0 is not valid.
        package var kind: UInt8
        /// At most ``RecordLog/maximumPayload`` bytes.
        package var payload: [UInt8]

        /// Creates a record.
        package init(kind: UInt8, payload: [UInt8]) {
            self.kind = kind
            self.payload = payload
        }
    }

    /// The maximum size of a payload in bytes.
    package static let maximumPayload = 64 << 10
    private static let prologueSize = 24
    /// The size of a record without its payload.
    private static let frameSize = 9

    /// The path of the file.
    package let path: String
    /// How many records it has.
    package private(set) var recordCount = 0

    private let directory: String
    private let format: Format
    private let disk: Disk
    /// The offset of the next record; 0 if there is no file to append to.
    private var end: Int64 = 0
    /// The checksum from which the next record continues.
    private var checksum = Checksum()

    /// Describes a file in a cache directory, without looking at the disk.
    package init(directory: String, files: any FileOperations, format: Format) {
        self.directory = directory
        self.disk = Disk(files: files)
        self.format = format
        self.path = "\(directory)/\(format.name)"
    }

    /// Reads the file.
    ///
    /// Takes time in proportion to the size. Reading does not trap, whatever the bytes are.
    ///
    /// - Returns: the records in order; none if there is no file.
    /// - Throws: ``CacheError`` with `newerFormat` for a file of a later version, which stays
    ///   unchanged. An unreadable file is renamed; the error then has the code `io`, no `errno`,
    ///   and the new path. If the system did not allow reading or renaming the file, the error has
    ///   an `errno`.
    package mutating func read() throws(CacheError) -> [Record] {
        (self.end, self.recordCount) = (0, 0)
        let bytes: [UInt8]
        do throws(FileFailure) {
            bytes = try self.disk.bytes(ofFile: self.path, limit: self.format.maximumSize)
        } catch {
            guard !SystemErrors.isAbsence(error.errno) else { return [] }
            throw CacheError("read", path: self.path, failure: error)
        }
        switch self.prologue(of: bytes[...]) {
        case .sound: break
        case .newer(let version): throw CacheError.newerFormat(self.path, version: version)
        case .unreadable: throw self.putAside()
        }
        var records: [Record] = []
        var end = Self.prologueSize
        var checksum = Checksum(
            JournalFormat.integer(UInt32.self, in: bytes[...], at: Self.prologueSize - 4) ?? 0
        )
        while let frame = RecordFrame(bytes[...], at: end, after: checksum), frame.kind != 0,
            frame.payload.count <= Self.maximumPayload
        {
            records.append(Record(kind: frame.kind, payload: Array(frame.payload)))
            end = frame.end
            checksum = frame.checksum
        }
        (self.end, self.checksum, self.recordCount) = (Int64(end), checksum, records.count)
        return records
    }

    /// Whether the file is still readable in full after one more record.
    package func hasRoom(for record: Record) -> Bool {
        let size = self.end + Int64(Self.frameSize + record.payload.count)
        return size <= self.format.maximumSize
    }

    /// Appends records and makes them durable; creates the file if there is none.
    ///
    /// After a failure nothing has been added. The next append cuts off a partly written record.
    package mutating func append(_ records: [Record]) throws(CacheError) {
        guard self.end > 0 else { return try self.rewrite(records) }
        var bytes: [UInt8] = []
        var checksum = self.checksum
        for record in records { Self.append(record, to: &bytes, after: &checksum) }
        do throws(FileFailure) {
            let descriptor = try self.disk.open(self.path, for: .updating)
            defer { self.disk.close(descriptor) }
            let size = try self.disk.size(of: descriptor)
            // A shorter file means that another program changed it.
            guard size >= self.end else {
                throw FileFailure(errno: SystemErrors.inputOutput, operation: .look)
            }
            if size > self.end { try self.disk.truncate(descriptor, to: self.end) }
            try self.write(bytes, at: self.end, to: descriptor)
        } catch {
            throw CacheError("write", path: self.path, failure: error)
        }
        self.end += Int64(bytes.count)
        self.checksum = checksum
        self.recordCount += records.count
    }

    /// Writes a new file with these records, which then replaces the old file.
    package mutating func rewrite(_ records: [Record]) throws(CacheError) {
        var bytes = self.format.magic
        JournalFormat.append(self.format.version, to: &bytes)
        JournalFormat.append(UInt64.random(in: .min ... .max), to: &bytes)
        var checksum = Checksum().taking(bytes)
        JournalFormat.append(checksum.value, to: &bytes)
        for record in records { Self.append(record, to: &bytes, after: &checksum) }
        let temporary = self.path + ".new"
        do throws(FileFailure) {
            let descriptor = try self.disk.open(temporary, for: .replacing)
            defer { self.disk.close(descriptor) }
            try self.write(bytes, at: 0, to: descriptor)
            try self.disk.rename(temporary, to: self.path)
            try self.disk.synchronizeDirectory(self.directory)
        } catch {
            throw CacheError("write", path: self.path, failure: error)
        }
        (self.end, self.checksum) = (Int64(bytes.count), checksum)
        self.recordCount = records.count
    }

    /// Removes the file.
    ///
    /// After a power cut, the file may exist again. So its records must cancel each other.
    package mutating func remove() throws(CacheError) {
        do throws(FileFailure) {
            try self.disk.remove(self.path)
        } catch {
            throw CacheError("remove", path: self.path, failure: error)
        }
        (self.end, self.recordCount) = (0, 0)
    }

    private enum Prologue {
        case sound
        case newer(UInt32)
        case unreadable
    }

    private func prologue(of bytes: ArraySlice<UInt8>) -> Prologue {
        guard bytes.starts(with: self.format.magic),
            let version = JournalFormat.integer(UInt32.self, in: bytes, at: 8),
            let sum = JournalFormat.integer(UInt32.self, in: bytes, at: Self.prologueSize - 4),
            Checksum().taking(bytes.prefix(Self.prologueSize - 4)).value == sum, version > 0
        else { return .unreadable }
        return version > self.format.version ? .newer(version) : .sound
    }

    /// Renames an unreadable file; replaces an earlier one of that name.
    private func putAside() -> CacheError {
        let name = self.path + ".unreadable"
        do throws(FileFailure) {
            try self.disk.rename(self.path, to: name)
        } catch {
            return CacheError("rename", path: self.path, failure: error)
        }
        return CacheError(
            .io,
            "Could not read \(self.path): it is damaged; Weir renamed it to \(name) and starts a new file.",
            path: name
        )
    }

    private static func append(
        _ record: Record,
        to bytes: inout [UInt8],
        after checksum: inout Checksum
    ) {
        let start = bytes.count
        bytes.append(record.kind)
        JournalFormat.append(UInt32(clamping: record.payload.count), to: &bytes)
        bytes += record.payload
        checksum = checksum.taking(bytes[start...])
        JournalFormat.append(checksum.value, to: &bytes)
    }

    private func write(_ bytes: [UInt8], at offset: Int64, to descriptor: CInt) throws(FileFailure)
    {
        try bytes.withUnsafeBufferPointer { buffer throws(FileFailure) in
            try self.disk.write(descriptor, from: UnsafeRawBufferPointer(buffer), at: offset)
        }
        try self.disk.synchronize(descriptor)
    }
}

extension Cache {
    /// A file of records in the directory, through the cache's file system.
    package func recordLog(_ format: RecordLog.Format) -> RecordLog {
        RecordLog(directory: self.directory, files: self.files.disk.files, format: format)
    }

    /// The known facts of a resource, from memory alone.
    package struct Holding: Hashable, Sendable {
        /// How many of its bytes are held.
        package var heldCount: Int64
        /// Whether the resource is pinned, and so kept whatever the limits are.
        package var isPinned: Bool
    }

    /// How much of a resource is held; takes constant time.
    ///
    /// - Parameter identifier: 32 hexadecimal digits.
    /// - Returns: `nil` if there is no such resource.
    package func holding(identifier: String) -> Holding? {
        guard let id = ResourceID(identifier) else { return nil }
        try? self.learn(id)
        return self.state.withLock { state in
            state.index[id].map { Holding(heldCount: $0.heldCount, isPinned: $0.isPinned) }
        }
    }
}
