// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What the numbers of failed system calls mean, in words.
enum SystemErrors {
    /// Reasons that a call may be made again for, at once, without anything having changed.
    static func isInterruption(_ errno: CInt) -> Bool { errno == EINTR }

    /// Nothing has this name.
    static func isAbsence(_ errno: CInt) -> Bool { errno == ENOENT }

    /// Something has this name already.
    static func isPresence(_ errno: CInt) -> Bool { errno == EEXIST }

    /// The disk, the user's share of it or the largest size of a file is used up.
    static func isFullness(_ errno: CInt) -> Bool {
        errno == ENOSPC || errno == EDQUOT || errno == EFBIG
    }

    /// Nothing on the file system can be changed.
    static func isReadOnly(_ errno: CInt) -> Bool { errno == EROFS }

    /// This user may not.
    static func isRefusal(_ errno: CInt) -> Bool {
        errno == EACCES || errno == EPERM || errno == EROFS
    }

    /// A part of the path is a file.
    static func isNoDirectory(_ errno: CInt) -> Bool { errno == ENOTDIR }

    /// This process or machine has no more of something that it will have again.
    static func isShortage(_ errno: CInt) -> Bool {
        errno == EMFILE || errno == ENFILE || errno == ENOMEM
    }

    /// Such a call cannot be made for these files, or not by this system.
    static func isInability(_ errno: CInt) -> Bool {
        [EOPNOTSUPP, ENOTSUP, EXDEV, EINVAL, ENOSYS, EBADF].contains(errno)
    }

    /// The number for "nothing has this name".
    static let absence: CInt = ENOENT

    /// The number for "input or output failed".
    static let inputOutput: CInt = EIO

    /// The reason as a part of a sentence.
    static func reason(_ errno: CInt) -> String {
        switch errno {
        case ENOSPC: "no space is left on the disk"
        case EDQUOT: "this user's share of the disk is used up"
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
        // What lies above it is there, as far as it can be: such a file system has no room for others' directories.
        if failure.operation == .createDirectory, self.isAbsence(failure.errno) {
            return "no directory can be made there"
        }
        return self.reason(failure.errno)
    }

    /// What to do about a failed call, as a part of a sentence.
    static func advice(_ failure: FileFailure) -> String {
        if failure.operation == .createDirectory, self.isAbsence(failure.errno) {
            return "choose another cache directory"
        }
        return self.advice(failure.errno)
    }

    /// What to do about it, as a part of a sentence.
    static func advice(_ errno: CInt) -> String {
        if self.isFullness(errno) { return "free some space or choose another cache directory" }
        if self.isRefusal(errno) { return "make it writable or choose another cache directory" }
        if self.isNoDirectory(errno) { return "choose another cache directory" }
        if self.isShortage(errno) { return "close some programs or raise the limit" }
        return "check the disk or choose another cache directory"
    }
}

/// A call of the file system that failed.
package struct FileFailure: Error, Hashable, Sendable {
    /// The calls, as ``FileOperations`` names them.
    package enum Operation: String, Hashable, Sendable {
        /// Opening or making a file.
        case open
        /// Reading.
        case read
        /// Writing.
        case write
        /// Copying from file to file.
        case copy
        /// Making durable, a file or a directory.
        case synchronize
        /// Cutting a file.
        case truncate
        /// Asking for a size or a kind.
        case look
        /// Locking.
        case lock
        /// Renaming.
        case rename
        /// Removing a name.
        case remove
        /// Making a directory.
        case createDirectory
        /// Listing a directory.
        case list
    }

    /// The system's number for the reason: `ENOSPC`, `EIO`.
    package var errno: CInt
    /// What was tried.
    package var operation: Operation
    /// The file, where the call was given a name.
    package var path: String?

    /// Describes a failure.
    package init(errno: CInt, operation: Operation, path: String? = nil) {
        self.errno = errno
        self.operation = operation
        self.path = path
    }
}
