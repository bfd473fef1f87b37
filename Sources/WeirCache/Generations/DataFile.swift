// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A descriptor of a generation's data file, closed when this object is deallocated.
///
/// Each slice has a reference to this object, so a descriptor stays open while a slice uses it.
final class DataFile: LeasedFile {
    /// The file descriptor.
    let handle: CInt
    /// The file's present or former path.
    let path: String
    private let disk: Disk
    private let doubts: DoubtMark
    private let count: OpenFiles.Count
    /// The bytes of a small file, from the moment when they were compared with their checksum.
    private let copy = Mutex<[UInt8]?>(nil)
    /// Whether there is a copy, so that reads of large files take no lock.
    private let hasCopy = Atomic(false)

    /// The most bytes of a file that is kept in memory while it is open: 16 KiB.
    private static let copySize: Int64 = 16 << 10

    /// Takes over a descriptor.
    ///
    /// - Parameters:
    ///   - descriptor: the open file.
    ///   - path: the file's name.
    ///   - disk: the file system.
    ///   - doubts: notes failed reads.
    ///   - count: counts the descriptor for as long as it is open.
    init(descriptor: CInt, path: String, disk: Disk, doubts: DoubtMark, count: OpenFiles.Count) {
        self.handle = descriptor
        self.path = path
        self.disk = disk
        self.doubts = doubts
        self.count = count
        count.opened()
    }

    var descriptor: CInt? { self.handle }

    deinit {
        self.disk.close(self.handle)
        self.count.closed()
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        if let count = self.readCopy(into: buffer, at: offset) { return count }
        do {
            return try self.disk.read(self.handle, into: buffer, at: offset)
        } catch {
            self.doubt()
            let failure = CacheError("read the cached file", path: self.path, failure: error)
            throw SourceError(.cacheFailed, failure.message, cause: failure)
        }
    }

    private func readCopy(
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) -> Int? {
        guard self.hasCopy.load(ordering: .acquiring) else { return nil }
        return self.copy.withLock { copy in
            guard let copy, 0 <= offset, offset + Int64(buffer.count) <= Int64(copy.count) else {
                return nil
            }
            buffer.copyBytes(from: copy[Int(offset)..<Int(offset) + buffer.count])
            return buffer.count
        }
    }

    func doubt() {
        self.doubts.set()
    }

    /// Writes all bytes at a position.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheError) {
        if self.hasCopy.exchange(false, ordering: .acquiringAndReleasing) {
            self.copy.withLock { $0 = nil }
        }
        do throws(FileFailure) {
            try self.disk.write(self.handle, from: bytes, at: offset)
        } catch {
            throw CacheError("write the cached file", path: self.path, failure: error)
        }
    }

    /// Makes all earlier writes reach the disk before any later write to any file.
    func order() throws(CacheError) {
        do throws(FileFailure) {
            try self.disk.order(self.handle)
        } catch {
            throw CacheError("save the cached file", path: self.path, failure: error)
        }
    }

    /// Compares a piece of the file with its checksum.
    ///
    /// The bytes of a small resource stay in memory while the file is open. So its first request reads it once, and
    /// not also for its type and for its body.
    ///
    /// - Parameters:
    ///   - piece: the byte range and the checksum.
    ///   - length: the length of the resource; `nil` if it is not known.
    ///   - buffer: space for the bytes of the piece.
    /// - Returns: false if the file is shorter, cannot be read, or has other bytes.
    func hasSound(
        _ piece: BlockPiece,
        ofLength length: Int64?,
        in buffer: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard
            self.disk.checksum(of: piece.range, ofFile: self.handle, in: buffer) == piece.checksum
        else { return false }
        if let length, length <= Self.copySize, piece.range == 0..<length {
            self.copy.withLock { $0 = Array(buffer.prefix(Int(length))) }
            self.hasCopy.store(true, ordering: .releasing)
        }
        return true
    }
}

/// Whether bytes of a generation could not be read since the last ``take()``.
final class DoubtMark: Sendable {
    private let isSet = Atomic(false)

    func set() {
        self.isSet.store(true, ordering: .relaxed)
    }

    /// Returns the mark, and clears it.
    func take() -> Bool {
        self.isSet.load(ordering: .relaxed) && self.isSet.exchange(false, ordering: .relaxed)
    }
}
