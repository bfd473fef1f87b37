// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirSource

/// An open file of this machine, in the state in which it was opened.
final class OpenFile: LeasedFile {
    private let handle: CInt
    let status: FileStatusReading
    private let display: String
    /// The status that was last read.
    private let seen: Mutex<FileStatusReading>

    /// Opens a file for reading.
    ///
    /// - Throws: `SourceError` with `notFound`, `forbidden`, or `invalidRequest` if it is not a
    ///   file.
    init(path: LocalPath, display: String) throws(SourceError) {
        // Without `O_NONBLOCK`, opening a pipe would wait for its other end.
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FileStatusReading.failure(errno, display) }
        guard let status = FileStatusReading.status(of: descriptor), status.isFile else {
            let isFolder = FileStatusReading.status(of: descriptor)?.isFolder == true
            close(descriptor)
            throw isFolder
                ? SourceError.isFolder(display, host: nil)
                : SourceError(
                    .invalidRequest,
                    "\(display) is not a file but a device, a pipe or a socket; give a file."
                )
        }
        self.handle = descriptor
        self.status = status
        self.display = display
        self.seen = Mutex(status)
    }

    /// `nil`: other programs may write to the file.
    ///
    /// If the system sent the file itself, it would read the bytes when they leave the socket's
    /// buffer, long after the check. Bytes in memory are checked after they were read, and do not
    /// change.
    var descriptor: CInt? { nil }

    deinit {
        close(self.handle)
    }

    /// Whether inode, length and both times are unchanged since the last check.
    ///
    /// The inode's time may differ if the file got or lost a name.
    var isUnchanged: Bool {
        guard let now = FileStatusReading.status(of: self.handle) else { return false }
        return self.seen.withLock { seen in
            guard seen.hasSameBytes(in: now) else { return false }
            seen = now
            return true
        }
    }

    /// The error for a file that has changed since it was opened.
    var changed: SourceError {
        SourceError(
            .changed,
            "\(self.display) has changed while it was being read; read it again from the start."
        )
    }

    /// Reads at a position.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        while true {
            let count = pread(self.handle, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 {
                // Checked after the read: if the file is unchanged now, it was unchanged during the
                // read.
                guard self.isUnchanged else { throw self.changed }
                return count
            }
            guard errno == EINTR else { throw FileStatusReading.failure(errno, self.display) }
        }
    }
}

/// The status of a file in the file system.
struct FileStatusReading: Hashable {
    let length: Int64
    let isFolder: Bool
    let isFile: Bool
    let modifiedSeconds: Int64
    /// Inode, length and time of the last change of the content.
    let content: String
    /// Distinguishes the states of the file, as far as the file system's clock can.
    ///
    /// It includes the time of the last change of the inode, which a program cannot set back.
    let version: String
    private let linkCount: UInt64

    /// Reads the status of a path; symbolic links are followed.
    ///
    /// - Throws: `SourceError` with `notFound` or `forbidden`.
    static func status(of path: LocalPath, display: String) throws(SourceError)
        -> FileStatusReading
    {
        var status = stat()
        guard path.withCString({ stat($0, &status) }) == 0 else {
            throw self.failure(errno, display)
        }
        return FileStatusReading(status)
    }

    /// Reads the status of a descriptor; `nil` if that fails.
    static func status(of descriptor: CInt) -> FileStatusReading? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return FileStatusReading(status)
    }

    static func failure(_ number: CInt, _ display: String) -> SourceError {
        switch number {
        case ENOENT, ENOTDIR: SourceError.notFound(display, status: nil, host: nil)
        case EACCES, EPERM:
            SourceError(
                .forbidden,
                "This user has no permission to read \(display); change its permissions, or run as another user."
            )
        default:
            SourceError(
                .originFailed,
                "\(display) cannot be read (\(String(cString: strerror(number)))); check the disk that it is on."
            )
        }
    }

    private init(_ status: stat) {
        #if canImport(Darwin)
        let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
        #else
        let (modified, changed) = (status.st_mtim, status.st_ctim)
        #endif
        self.length = Int64(status.st_size)
        self.isFolder = status.st_mode & S_IFMT == S_IFDIR
        self.isFile = status.st_mode & S_IFMT == S_IFREG
        self.modifiedSeconds = Int64(modified.tv_sec)
        self.linkCount = UInt64(status.st_nlink)
        self.content =
            "file:\(status.st_ino)-\(status.st_size)-\(modified.tv_sec).\(modified.tv_nsec)"
        self.version = "\(self.content)-\(changed.tv_sec).\(changed.tv_nsec)"
    }

    /// Whether the file has the same bytes in a later state.
    ///
    /// A new or removed name changes the inode and not the bytes. So a reading continues when its
    /// file is deleted, or replaced by a rename.
    func hasSameBytes(in later: FileStatusReading) -> Bool {
        guard self.version != later.version else { return true }
        return self.content == later.content && self.linkCount != later.linkCount
    }

    func entry(name: String) -> FolderEntry {
        FolderEntry(
            name: name,
            kind: self.isFolder ? .folder : .file,
            length: self.isFolder ? nil : ResourceLength.checked(self.length),
            mediaType: nil,
            modifiedSeconds: self.modifiedSeconds,
            validator: self.isFile ? .revision(self.version) : nil
        )
    }
}
