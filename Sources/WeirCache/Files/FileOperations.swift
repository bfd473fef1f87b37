// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the cache asks of a file system: everything it does on disk, but for SQLite's own files.
///
/// One call of the system each, no loop and no judgement: a call that was interrupted says `EINTR`, a
/// short write says how far it came. `Disk` repeats and completes them, so that a test double can
/// fail, cut short or record every single operation.
package protocol FileOperations: Sendable {
    /// Opens a file, never following a symbolic link, never inherited by a child process.
    func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt
    /// Closes a descriptor. What it still had to write is not waited for.
    func close(_ descriptor: CInt)
    /// Reads at a position; 0 at the end of the file.
    func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int
    /// Writes at a position; may write less than it was given.
    func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int
    /// Copies bytes from one file to another inside of the system; may copy less.
    ///
    /// Fails with `EOPNOTSUPP`, `EXDEV`, `EINVAL` or `ENOSYS` where that cannot be done for these two files.
    func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int
    /// Returns when the file's bytes, and what is needed to find them, are on the disk.
    func synchronize(_ descriptor: CInt) throws(FileFailure)
    /// Returns when nothing that is written after can come to the disk before the file's bytes; they need not be on it yet.
    ///
    /// Where a system has no such order, as ``synchronize(_:)``.
    func order(_ descriptor: CInt) throws(FileFailure)
    /// Cuts or extends a file.
    func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure)
    /// How many bytes an open file has.
    func size(of descriptor: CInt) throws(FileFailure) -> Int64
    /// Which file of the machine is open; the same for every descriptor of it.
    func identity(of descriptor: CInt) throws(FileFailure) -> FileIdentity
    /// Takes the exclusive lock of an open file without waiting.
    ///
    /// - Returns: `false` if another process has it.
    func lock(_ descriptor: CInt) throws(FileFailure) -> Bool
    /// Gives a file another name in one step, replacing what had it.
    func rename(_ path: String, to newPath: String) throws(FileFailure)
    /// Takes a file's name away; its bytes stay for its open descriptors.
    func remove(_ path: String) throws(FileFailure)
    /// What has this name, not following a symbolic link; `nil` if nothing has.
    func status(of path: String) throws(FileFailure) -> FileStatus?
    /// Makes a directory that only its owner may enter.
    func createDirectory(_ path: String) throws(FileFailure)
    /// Returns when the names in a directory are on the disk.
    func synchronizeDirectory(_ path: String) throws(FileFailure)
    /// Gives a directory attributes, which what is made in it later has, too; a system without them does nothing.
    func apply(_ attributes: DirectoryAttributes, toDirectory path: String) throws(FileFailure)
    /// How many bytes this user may still write to the disk that a directory is on.
    func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64
    /// The names in a directory, in no order, without `.` and `..`.
    func contents(ofDirectory path: String) throws(FileFailure) -> [String]
}

/// What a file is opened for.
package enum FilePurpose: Hashable, Sendable {
    /// To read what is there.
    case reading
    /// To read and write what is there.
    case updating
    /// To read and write a file that must not exist yet.
    case creating
    /// To read and write a file that is made if it does not exist.
    case updatingOrCreating
    /// To write a file anew, whatever it held.
    case replacing
    /// To write a file that must not exist yet and that others may read, as the user's settings allow.
    case exporting
}

/// What a name in the file system stands for.
package struct FileStatus: Hashable, Sendable {
    /// The kinds that the cache tells apart.
    package enum Kind: Hashable, Sendable {
        /// A plain file.
        case file
        /// A directory.
        case directory
        /// A symbolic link, a socket, a device.
        case other
    }

    /// What it is.
    package var kind: Kind
    /// How many bytes it has.
    package var size: Int64

    /// Describes a name.
    package init(kind: Kind, size: Int64) {
        self.kind = kind
        self.size = size
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Which file of the machine a descriptor stands for, whatever its name is.
package struct FileIdentity: Hashable, Sendable {
    /// The file system that it is on.
    package var device: UInt64
    /// Its number there.
    package var inode: UInt64

    /// Names a file.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

extension FileOperations {
    /// Asks the system with `fstat`.
    package func identity(of descriptor: CInt) throws(FileFailure) -> FileIdentity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileFailure(errno: errno, operation: .look)
        }
        return FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino)
        )
    }

    /// As ``synchronize(_:)``, which does more.
    package func order(_ descriptor: CInt) throws(FileFailure) { try self.synchronize(descriptor) }

    /// Does nothing: for file systems without attributes.
    package func apply(
        _ attributes: DirectoryAttributes,
        toDirectory path: String
    ) throws(FileFailure) {}
}
