// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The meaning of error numbers, in words.
enum SystemErrors {
    /// Whether the same call may be repeated at once.
    static func isInterruption(_ errno: CInt) -> Bool { errno == EINTR }

    /// Whether no file has this name.
    static func isAbsence(_ errno: CInt) -> Bool { errno == ENOENT }

    /// Whether a file has this name already.
    static func isPresence(_ errno: CInt) -> Bool { errno == EEXIST }

    /// Whether the disk, the user's share of it or the maximum size of a file is used up.
    static func isFullness(_ errno: CInt) -> Bool {
        errno == ENOSPC || errno == EDQUOT || errno == EFBIG
    }

    /// Whether the file system is read-only.
    static func isReadOnly(_ errno: CInt) -> Bool { errno == EROFS }

    /// Whether this user lacks the permission.
    static func isRefusal(_ errno: CInt) -> Bool {
        errno == EACCES || errno == EPERM || errno == EROFS
    }

    /// Whether a part of the path is a file.
    static func isNoDirectory(_ errno: CInt) -> Bool { errno == ENOTDIR }

    /// Whether the name belongs to a folder, a link or a socket, which are not opened.
    static func isNoFile(_ errno: CInt) -> Bool {
        errno == EISDIR || errno == ELOOP || errno == ENXIO
    }

    /// Whether this process or machine temporarily lacks a resource.
    static func isShortage(_ errno: CInt) -> Bool {
        errno == EMFILE || errno == ENFILE || errno == ENOMEM
    }

    /// Whether the call is unsupported for these files, or by this system.
    static func isInability(_ errno: CInt) -> Bool {
        [EOPNOTSUPP, ENOTSUP, EXDEV, EINVAL, ENOSYS, EBADF].contains(errno)
    }

    /// The error number for "no such file".
    static let absence: CInt = ENOENT

    /// The error number for "input or output failed".
    static let inputOutput: CInt = EIO

    /// The reason, as a part of a sentence.
    static func reason(_ errno: CInt) -> String {
        switch errno {
        case ENOSPC: "no space is left on the disk"
        case EDQUOT: "this user's disk quota is used up"
        case EFBIG: "the file system allows no larger file"
        case EACCES, EPERM: "this user has no permission"
        case EROFS: "the file system is read-only"
        case ENOTDIR: "a part of the path is a file"
        case ENOENT: "it no longer exists"
        case EEXIST: "it already exists"
        case EMFILE: "this process has too many open files"
        case ENFILE: "the machine has too many open files"
        case ENOMEM: "the machine is out of memory"
        case EIO: "the disk failed"
        case ELOOP: "it is a symbolic link"
        case ENOLCK, EOPNOTSUPP: "the file system has no locks"
        default: "the system reported error \(errno)"
        }
    }

    /// The reason for the failure of a call, as a part of a sentence.
    static func reason(_ failure: FileFailure) -> String {
        // The cache creates the parent directories first. So this error means that the file system does not let a
        // program create directories.
        if failure.operation == .createDirectory, self.isAbsence(failure.errno) {
            return "no directory can be made there"
        }
        return self.reason(failure.errno)
    }

    /// The remedy for a failed call, as a part of a sentence.
    static func advice(_ failure: FileFailure) -> String {
        if failure.operation == .createDirectory, self.isAbsence(failure.errno) {
            return "choose another cache directory"
        }
        return self.advice(failure.errno)
    }

    /// The remedy, as a part of a sentence.
    static func advice(_ errno: CInt) -> String {
        if self.isFullness(errno) { return "free some space or choose another cache directory" }
        if self.isRefusal(errno) { return "make it writable or choose another cache directory" }
        if self.isNoDirectory(errno) { return "choose another cache directory" }
        if self.isShortage(errno) { return "close some programs or raise the limit" }
        return "check the disk or choose another cache directory"
    }
}

/// A failed call of the file system.
package struct FileFailure: Error, Hashable, Sendable {
    /// The calls, as ``FileOperations`` names them.
    package enum Operation: String, Hashable, Sendable {
        /// Opening or creating a file.
        case open
        /// Reading.
        case read
        /// Writing.
        case write
        /// Copying from file to file.
        case copy
        /// Making a file or a directory durable.
        case synchronize
        /// Cutting or extending a file.
        case truncate
        /// Asking for a size or a kind.
        case look
        /// Locking.
        case lock
        /// Renaming.
        case rename
        /// Removing a name.
        case remove
        /// Creating a directory.
        case createDirectory
        /// Listing a directory.
        case list
    }

    /// The system's error number, for example `ENOSPC` or `EIO`.
    package var errno: CInt
    /// The failed operation.
    package var operation: Operation
    /// The file, if the call took a name.
    package var path: String?

    /// Describes a failure.
    package init(errno: CInt, operation: Operation, path: String? = nil) {
        self.errno = errno
        self.operation = operation
        self.path = path
    }
}
