// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Small files that only their owner may read.
package enum PrivateFile {
    /// The largest size of a file in bytes, more than any number of accounts needs.
    static let largestSize = 4 << 20

    /// Creates a folder and its missing parent folders, with the mode 0700; an existing folder
    /// stays unchanged.
    ///
    /// - Throws: `invalidRequest` if the folder cannot be created.
    package static func makeDirectory(_ path: String) throws(SourceError) {
        var status = stat()
        if stat(path, &status) == 0 { return }
        if let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            try Self.makeDirectory(String(path[..<slash]))
        }
        // Another process may have created it meanwhile.
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
            throw Self.failure(path, "could not be made", isFolder: true)
        }
    }

    /// The bytes of a file; `nil` if there is no file.
    ///
    /// - Throws: `invalidRequest` if users other than its owner have any rights to it, if it is not
    ///   a regular file, or if it cannot be read.
    static func read(_ path: String) throws(SourceError) -> [UInt8]? {
        // Without O_NONBLOCK a pipe of this name would block forever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw Self.failure(path, "could not be opened")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw Self.failure(path, "could not be examined")
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw Self.error(Self.general, path) { "\($0) is not a file; move it away." }
        }
        guard status.st_mode & 0o077 == 0 else {
            let danger = "holds tokens and other users could read or change it; run chmod 600"
            throw SourceError(.invalidRequest, "\(Self.general) \(danger) on it.")
                .tellingOwner("\(path) \(danger) \(path).")
        }
        guard status.st_size <= off_t(Self.largestSize) else {
            throw Self.error(Self.general, path) {
                "\($0) is far larger than such a file can be; move it away."
            }
        }
        return try Self.content(descriptor, path)
    }

    private static func content(_ descriptor: CInt, _ path: String) throws(SourceError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 16 * 1024)
        while bytes.count <= Self.largestSize {
            let count = buffer.withUnsafeMutableBytes {
                systemRead(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Self.failure(path, "could not be read") }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }

    /// Replaces the bytes of a file, all of them or none, durably; the mode is 0600.
    ///
    /// Only one caller may run at a time: the temporary file has a fixed name, so that crashes
    /// leave at most one file. Callers that may run at the same time pass temporary names of their
    /// own.
    ///
    /// - Throws: `invalidRequest` if the file cannot be written; it then has its old bytes, or the
    ///   new ones if only the folder could not be synchronized.
    package static func replace(
        _ path: String,
        with bytes: [UInt8],
        through temporary: String? = nil
    ) throws(SourceError) {
        let temporary = temporary ?? "\(path).new"
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure(path, "could not be written") }
        do throws(SourceError) {
            try Self.write(bytes, to: descriptor, path)
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        // After an error of `close` the bytes may not be on the disk.
        guard close(descriptor) == 0, rename(temporary, path) == 0 else {
            let failure = Self.failure(path, "could not be replaced")
            unlink(temporary)
            throw failure
        }
        try Self.synchronizeDirectory(of: path)
    }

    private static func write(
        _ bytes: [UInt8],
        to descriptor: CInt,
        _ path: String
    ) throws(SourceError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                systemWrite(descriptor, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw Self.failure(path, "could not be written") }
            rest = rest.dropFirst(count)
        }
        guard fsync(descriptor) == 0 else { throw Self.failure(path, "could not be written") }
    }

    /// Makes a new name durable.
    private static func synchronizeDirectory(of path: String) throws(SourceError) {
        let slash = path.lastIndex(of: "/") ?? path.startIndex
        let directory = slash == path.startIndex ? "/" : String(path[..<slash])
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(directory, "could not be opened") }
        defer { close(descriptor) }
        // Some file systems cannot synchronize a folder, and report EINVAL.
        guard fsync(descriptor) == 0 || errno == EINVAL else {
            throw Self.failure(directory, "could not be written")
        }
    }

    /// The name of a private file in messages that other users may read.
    private static let general = "A file of secrets"

    /// The error for the system call that has just failed at a path.
    static func failure(_ path: String, _ what: String, isFolder: Bool = false) -> SourceError {
        let reason = String(cString: strerror(errno))
        return self.error(
            isFolder ? "The folder of such a file" : self.general,
            isFolder ? "The folder \(path)" : path
        ) {
            "\($0) \(what) (\(reason)); check the disk and the permissions."
        }
    }

    /// An error whose message begins with the name of a file.
    ///
    /// The general message begins with `general`, and the owner's message begins with `named`, the
    /// path.
    static func error(
        _ general: String,
        _ named: String,
        _ sentence: (String) -> String
    ) -> SourceError {
        SourceError(.invalidRequest, sentence(general)).tellingOwner(sentence(named))
    }
}

/// Calls the system's `read`; inside ``PrivateFile`` the name means its own method.
private func systemRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int
{
    read(descriptor, bytes, count)
}

/// Calls the system's `write`, like ``systemRead(_:_:_:)``.
private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
