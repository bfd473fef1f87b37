// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A descriptor for writing: it repeats interrupted calls and completes short ones.
struct OutputFile: Sendable {
    /// A failed system call.
    struct Failure: Error {
        /// The system's error number.
        let code: CInt

        /// The system's message for it.
        var description: String {
            strerror(self.code).map { String(cString: $0) } ?? "error \(self.code)"
        }
    }

    /// The descriptor of the open file.
    let descriptor: CInt

    /// Opens a file for writing; it follows no link, and changes nothing other than a file or a
    /// link.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - isReplacing: whether an existing file or link is replaced by a new file; another hard
    ///     link to the old file keeps its bytes.
    /// - Returns: the file, empty; `nil` if something other than a file is at the path.
    /// - Throws: ``Failure``; with `EEXIST` if `isReplacing` is false and anything is at the path.
    static func create(_ path: String, isReplacing: Bool) throws(Failure) -> OutputFile? {
        // With O_NONBLOCK, the call does not hang at a pipe without a reader.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        var descriptor = Self.again { open(path, flags | O_EXCL, 0o644) }
        if descriptor < 0, errno == EEXIST, isReplacing {
            let isNew = Self.removeFile(path) ? O_EXCL : 0
            descriptor = Self.again { open(path, flags | isNew, 0o644) }
        }
        guard descriptor >= 0 else {
            // A folder, a pipe without a reader, or a socket is at the path.
            if errno == EISDIR || errno == ENXIO { return nil }
            throw Failure(code: errno)
        }
        let file = OutputFile(descriptor: descriptor)
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            file.close()
            return nil
        }
        guard Self.again({ ftruncate(descriptor, 0) }) == 0 else {
            let failure = Failure(code: errno)
            file.close()
            throw failure
        }
        return file
    }

    /// Removes a file or a link, and nothing else; returns whether it is gone.
    private static func removeFile(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return errno == ENOENT }
        let kind = status.st_mode & S_IFMT
        return (kind == S_IFREG || kind == S_IFLNK) && unlink(path) == 0
    }

    /// Writes the first of the bytes at an offset of the file.
    func write(_ bytes: [UInt8], count: Int, at offset: Int64) throws(Failure) {
        try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
            try self.write(
                UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[..<count]),
                at: offset
            )
        }
    }

    /// Writes all of the bytes at the descriptor's position, and waits while the descriptor takes
    /// no more.
    func write(_ bytes: [UInt8]) throws(Failure) {
        try bytes.withUnsafeBufferPointer { bytes throws(Failure) in
            try self.write(UnsafeRawBufferPointer(bytes))
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let position = off_t(offset) + off_t(done)
            let count = Self.again {
                Int(pwrite(self.descriptor, rest.baseAddress, rest.count, position))
            }
            guard count > 0 else { throw Failure(code: count < 0 ? errno : EIO) }
            done += count
        }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            #if canImport(Darwin)
            let count = Darwin.write(self.descriptor, rest.baseAddress, rest.count)
            #elseif canImport(Musl)
            let count = Musl.write(self.descriptor, rest.baseAddress, rest.count)
            #else
            let count = Glibc.write(self.descriptor, rest.baseAddress, rest.count)
            #endif
            if count > 0 {
                done += count
            } else if count < 0, errno == EAGAIN {
                // Another process made the descriptor non-blocking, as the owner of a terminal may.
                var entry = pollfd(fd: self.descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            } else if count == 0 || errno != EINTR {
                throw Failure(code: count < 0 ? errno : EIO)
            }
        }
    }

    func close() {
        #if canImport(Darwin)
        _ = Darwin.close(self.descriptor)
        #elseif canImport(Musl)
        _ = Musl.close(self.descriptor)
        #else
        _ = Glibc.close(self.descriptor)
        #endif
    }

    private static func again<Count: SignedInteger>(_ call: () -> Count) -> Count {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
