// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import WeirSource

/// An open file of this machine, as it was when it was opened.
final class OpenFile: LeasedFile {
    private let handle: CInt
    let status: FileStatusReading
    private let display: String
    /// What was seen last.
    private let seen: Mutex<FileStatusReading>

    /// Opens a file to read.
    ///
    /// - Throws: `SourceError` with `notFound`, `forbidden`, or `invalidRequest` for what is no file.
    init(path: LocalPath, display: String) throws(SourceError) {
        // A pipe would wait for its other end.
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FileStatusReading.failure(errno, display) }
        guard let status = FileStatusReading.status(of: descriptor), status.isFile else {
            let isFolder = FileStatusReading.status(of: descriptor)?.isFolder == true
            close(descriptor)
            throw isFolder
                ? SourceError.isFolder(display, host: nil)
                : SourceError(
                    .invalidRequest,
                    "\(display) is no file but a device, a pipe or a socket; name a file."
                )
        }
        self.handle = descriptor
        self.status = status
        self.display = display
        self.seen = Mutex(status)
    }

    /// None: others may write to the file.
    ///
    /// The system would send its bytes as they are when they leave the socket's buffer, long after they were looked
    /// whether they are still the same. What is read into memory is compared afterwards, and stays what it is.
    var descriptor: CInt? { nil }

    deinit {
        close(self.handle)
    }

    /// Whether the file is still what it was: length, both times and inode.
    var isUnchanged: Bool {
        guard let now = FileStatusReading.status(of: self.handle) else { return false }
        return self.seen.withLock { seen in
            guard seen.hasSameBytes(in: now) else { return false }
            seen = now
            return true
        }
    }

    /// What a reader is told when the file is no longer what was opened.
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
                // Looked at afterwards: what is unchanged now was so when it was read.
                guard self.isUnchanged else { throw self.changed }
                return count
            }
            guard errno == EINTR else { throw FileStatusReading.failure(errno, self.display) }
        }
    }
}

/// What the file system says of a file.
struct FileStatusReading: Hashable {
    let length: Int64
    let isFolder: Bool
    let isFile: Bool
    let modifiedSeconds: Int64
    /// Inode, length and time of the last change of the content.
    let content: String
    /// Tells one state of the file from the next, as far as the file system's clock can.
    ///
    /// The time of the last change of the inode is a part of it, which no program can set back.
    let version: String
    private let linkCount: UInt64

    /// Asks by path; symbolic links are followed.
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

    /// Asks by descriptor; `nil` if that fails.
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
                "\(display) must not be read by this user; change its permissions, or run as another user."
            )
        default:
            SourceError(
                .originFailed,
                "\(display) cannot be read (\(String(cString: strerror(number)))); look at the disk that it is on."
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

    /// Whether the file has the bytes in a later state that it had in this one.
    ///
    /// A name that was given or taken changes the inode and not the bytes: a reader goes on when its file is deleted, or
    /// replaced by a rename.
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
