// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A call of the file system that failed.
public struct FileFailure: Error, Hashable, Sendable {
    /// The calls, as ``FileOperations`` names them.
    public enum Operation: String, Hashable, Sendable {
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
    public var errno: CInt
    /// What was tried.
    public var operation: Operation
    /// The file, where the call was given a name.
    public var path: String?

    /// Describes a failure.
    public init(errno: CInt, operation: Operation, path: String? = nil) {
        self.errno = errno
        self.operation = operation
        self.path = path
    }
}
