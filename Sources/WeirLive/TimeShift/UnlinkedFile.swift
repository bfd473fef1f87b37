// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A file that loses its name as soon as it is created.
///
/// No other process can open it by name, and it disappears when this process ends, however it ends.
package final class UnlinkedFile: RingDisk {
    /// The beginning and end of the file's short-lived name.
    static let prefix = ".weir-time-shift-"
    static let suffix = ".ring"

    private let descriptor: CInt

    /// Creates the file.
    ///
    /// The folder is created, with mode 0700, if it does not exist. Another process may have been
    /// killed between creating its file and unlinking it; that file is removed. This does not harm
    /// a process that is just creating its file.
    ///
    /// - Parameter folder: the folder; `nil`: the system's folder for temporary files.
    /// - Throws: if the folder or the file cannot be created.
    package init(in folder: String?) throws(RingDiskError) {
        let folder = folder ?? Self.temporaryFolder()
        guard mkdir(folder, 0o700) == 0 || errno == EEXIST else {
            throw Self.failure("made", folder)
        }
        Self.removeLeftovers(in: folder)
        for _ in 0..<16 {
            let name = Self.prefix + String(UInt64.random(in: 0...UInt64.max), radix: 36)
            let path = "\(folder)/\(name)\(Self.suffix)"
            let flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = open(path, flags, 0o600)
            if descriptor < 0, errno == EEXIST || errno == EINTR { continue }
            guard descriptor >= 0 else { throw Self.failure("made", folder) }
            unlink(path)
            self.descriptor = descriptor
            return
        }
        throw Self.failure("made", folder)
    }

    deinit {
        close(self.descriptor)
    }

    package func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(RingDiskError) {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = pwrite(
                self.descriptor,
                rest.baseAddress,
                rest.count,
                off_t(position) + off_t(done)
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("written") }
            done += count
        }
    }

    package func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64)
        throws(RingDiskError)
    {
        var done = 0
        while done < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = pread(
                self.descriptor,
                rest.baseAddress,
                rest.count,
                off_t(position) + off_t(done)
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure("read") }
            done += count
        }
    }

    /// The file's permissions, for tests.
    var mode: mode_t {
        var status = stat()
        return fstat(self.descriptor, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    /// The folder for large temporary files; the last choice is `/tmp`, which is memory on many
    /// systems.
    private static func temporaryFolder() -> String {
        if let folder = getenv("TMPDIR"), folder.pointee != 0 { return String(cString: folder) }
        return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"
    }

    private static func removeLeftovers(in folder: String) {
        guard let directory = opendir(folder) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name.hasPrefix(Self.prefix), name.hasSuffix(Self.suffix) {
                unlink("\(folder)/\(name)")
            }
        }
    }

    private static func failure(_ what: String, _ folder: String? = nil) -> RingDiskError {
        let reason = String(cString: strerror(errno))
        let place = folder.map { " in \($0)" } ?? ""
        return RingDiskError(
            message:
                "The time shift could not be \(what)\(place) (\(reason)); Weir keeps only about the last minute, in"
                + " memory. Free some space or choose another folder."
        )
    }
}

/// The disk for a ring's bytes that memory cannot hold.
protocol RingDisk: AnyObject, Sendable {
    /// Writes all of the bytes at a position.
    func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) throws(RingDiskError)
    /// Fills the buffer with the bytes from a position on, which were written earlier.
    func read(into buffer: UnsafeMutableRawBufferPointer, at position: Int64) throws(RingDiskError)
}

/// Why a ring's disk cannot be used.
package struct RingDiskError: Error, Hashable {
    /// One sentence for people.
    var message: String
}
