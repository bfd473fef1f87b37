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
        do {
            return try self.disk.read(self.handle, into: buffer, at: offset)
        } catch {
            self.doubt()
            let failure = CacheError("read the cached file", path: self.path, failure: error)
            throw SourceError(.cacheFailed, failure.message, cause: failure)
        }
    }

    func doubt() {
        self.doubts.set()
    }

    /// Writes all bytes at a position.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(CacheError) {
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

    /// Computes the checksum of a range of the file.
    ///
    /// - Parameters:
    ///   - range: the byte range.
    ///   - buffer: space for as many bytes.
    /// - Returns: `nil` if the file is shorter, or cannot be read.
    func checksum(of range: Range<Int64>, in buffer: UnsafeMutableRawBufferPointer) -> Checksum? {
        self.disk.checksum(of: range, ofFile: self.handle, in: buffer)
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
