// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirFiles

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The operating system's files.
///
/// Directories are created with mode 0700, files with 0600, so that other users cannot see what this user plays.
package struct PosixFiles: FileOperations {
    /// The operating system's files.
    package init() {}

    /// Opens with `O_CLOEXEC` and `O_NOFOLLOW`.
    package func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
        let access =
            switch purpose {
            case .reading: O_RDONLY
            case .updating: O_RDWR
            case .creating, .exporting: O_RDWR | O_CREAT | O_EXCL
            case .updatingOrCreating: O_RDWR | O_CREAT
            case .replacing: O_RDWR | O_CREAT | O_TRUNC
            }
        let mode: mode_t = purpose == .exporting ? 0o666 : 0o600
        let descriptor = systemOpen(path, access | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else { throw failure(.open, path) }
        return descriptor
    }

    /// `close`.
    package func close(_ descriptor: CInt) {
        systemClose(descriptor)
    }

    /// `pread`.
    package func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        guard count >= 0 else { throw failure(.read) }
        return count
    }

    /// `pwrite`.
    package func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int {
        let count = pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
        guard count >= 0 else { throw failure(.write) }
        return count
    }

    /// `copy_file_range` on Linux, which shares blocks if the file system can.
    package func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int {
        let copied = weir_copy_range(descriptor, offset, target, targetOffset, count)
        guard copied >= 0 else { throw failure(.copy) }
        return Int(copied)
    }

    /// `fdatasync`; on Apple systems `F_FULLFSYNC`, or `fsync` if the file system does not support it.
    ///
    /// On Apple systems, `fsync` leaves the bytes in the drive's memory.
    package func synchronize(_ descriptor: CInt) throws(FileFailure) {
        #if canImport(Darwin)
        if fcntl(descriptor, F_FULLFSYNC) == 0 { return }
        guard fsync(descriptor) == 0 else { throw failure(.synchronize) }
        #else
        guard fdatasync(descriptor) == 0 else { throw failure(.synchronize) }
        #endif
    }

    /// `F_BARRIERFSYNC` on Apple systems; otherwise ``synchronize(_:)``.
    ///
    /// The barrier costs a fraction of ``synchronize(_:)``, which is used if the file system has no barrier.
    package func order(_ descriptor: CInt) throws(FileFailure) {
        #if canImport(Darwin)
        if fcntl(descriptor, F_BARRIERFSYNC) == 0 { return }
        #endif
        try self.synchronize(descriptor)
    }

    /// `ftruncate`.
    package func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw failure(.truncate) }
    }

    /// `fstat`.
    package func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw failure(.look) }
        return Int64(status.st_size)
    }

    /// `flock`.
    ///
    /// The lock ends when the last descriptor of this open file is closed, at the latest with the process.
    package func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK else { throw failure(.lock) }
        return false
    }

    /// `rename`.
    package func rename(_ path: String, to newPath: String) throws(FileFailure) {
        guard systemRename(path, newPath) == 0 else { throw failure(.rename, path) }
    }

    /// `unlink`.
    package func remove(_ path: String) throws(FileFailure) {
        guard unlink(path) == 0 else { throw failure(.remove, path) }
    }

    /// `lstat`.
    package func status(of path: String) throws(FileFailure) -> FileStatus? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return nil }
            throw failure(.look, path)
        }
        return FileStatus(status)
    }

    /// `mkdir`.
    package func createDirectory(_ path: String) throws(FileFailure) {
        guard mkdir(path, 0o700) == 0 else { throw failure(.createDirectory, path) }
    }

    /// `fsync` of the directory.
    package func synchronizeDirectory(_ path: String) throws(FileFailure) {
        let descriptor = systemOpen(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw failure(.open, path) }
        defer { systemClose(descriptor) }
        guard fsync(descriptor) == 0 else { throw failure(.synchronize, path) }
    }

    /// `statvfs`; on Apple systems also counts the bytes that the system would free for important data.
    package func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
        if let count = Self.importantByteCount(ofDirectory: path) { return count }
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { throw failure(.look, path) }
        let (count, isTooMuch) = Int64(clamping: status.f_bavail)
            .multipliedReportingOverflow(by: Int64(clamping: status.f_frsize))
        return isTooMuch ? .max : count
    }

    /// `readdir`.
    package func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
        guard let directory = opendir(path) else { throw failure(.list, path) }
        defer { closedir(directory) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                guard errno == 0 else { throw failure(.list, path) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != ".", name != ".." { names.append(name) }
        }
    }
}

// The system's functions, under names that the methods above do not hide.

private func systemOpen(_ path: String, _ flags: CInt, _ mode: mode_t = 0) -> CInt {
    open(path, flags, mode)
}

private func systemClose(_ descriptor: CInt) { _ = close(descriptor) }

private func systemRename(_ path: String, _ newPath: String) -> CInt { rename(path, newPath) }

/// Describes the call that just failed; must be called before any call that could set `errno`.
private func failure(_ operation: FileFailure.Operation, _ path: String? = nil) -> FileFailure {
    FileFailure(errno: errno, operation: operation, path: path)
}

extension Cache {
    /// The time of day as the cache counts it: milliseconds since 1970.
    static func timeOfDay() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}
