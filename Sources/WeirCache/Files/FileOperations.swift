// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The cache's interface to a file system, for everything but SQLite's own files.
///
/// Each function makes one system call, without a loop or a decision. An interrupted call throws
/// `EINTR`; a short write returns its count. `Disk` repeats and completes calls, so that a test
/// double can fail, shorten or record every single operation.
package protocol FileOperations: Sendable {
    /// Opens a file, without following a symbolic link; child processes do not inherit the
    /// descriptor.
    func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt
    /// Closes a descriptor, without waiting for pending writes.
    func close(_ descriptor: CInt)
    /// Reads at a position; 0 at the end of the file.
    func read(
        _ descriptor: CInt,
        into buffer: UnsafeMutableRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int
    /// Writes at a position; may write fewer bytes than given.
    func write(
        _ descriptor: CInt,
        from buffer: UnsafeRawBufferPointer,
        at offset: Int64
    ) throws(FileFailure) -> Int
    /// Copies bytes from one file to another inside the system; may copy fewer bytes.
    ///
    /// Fails with `EOPNOTSUPP`, `EXDEV`, `EINVAL` or `ENOSYS` if the system cannot do this for
    /// these two files.
    func copy(
        _ descriptor: CInt,
        at offset: Int64,
        to target: CInt,
        at targetOffset: Int64,
        count: Int
    ) throws(FileFailure) -> Int
    /// Returns when the file's bytes, and the data needed to find them, are on the disk.
    func synchronize(_ descriptor: CInt) throws(FileFailure)
    /// Makes sure that no later write reaches the disk before the file's bytes.
    ///
    /// The bytes need not be on the disk when the function returns. On a system without write
    /// barriers, this is the same as ``synchronize(_:)``.
    func order(_ descriptor: CInt) throws(FileFailure)
    /// Cuts or extends a file.
    func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure)
    /// How many bytes an open file has.
    func size(of descriptor: CInt) throws(FileFailure) -> Int64
    /// The kind and size of an open file, and its identity, which all its descriptors share.
    func status(
        of descriptor: CInt
    ) throws(FileFailure) -> (file: FileStatus, identity: FileIdentity)
    /// Takes the exclusive lock of an open file without waiting.
    ///
    /// - Returns: `false` if the lock is held elsewhere.
    func lock(_ descriptor: CInt) throws(FileFailure) -> Bool
    /// Renames a file in one step; replaces an existing file of the new name.
    func rename(_ path: String, to newPath: String) throws(FileFailure)
    /// Removes a file's name; its bytes stay for its open descriptors.
    func remove(_ path: String) throws(FileFailure)
    /// The status of a name, without following a symbolic link; `nil` if the name does not exist.
    func status(of path: String) throws(FileFailure) -> FileStatus?
    /// Creates a directory that only its owner may enter.
    func createDirectory(_ path: String) throws(FileFailure)
    /// Returns when the names in a directory are on the disk.
    func synchronizeDirectory(_ path: String) throws(FileFailure)
    /// Sets attributes of a directory, which files created in it inherit; does nothing where
    /// unsupported.
    func apply(_ attributes: DirectoryAttributes, toDirectory path: String) throws(FileFailure)
    /// How many bytes this user may still write to the directory's disk.
    func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64
    /// The names in a directory, in no order, without `.` and `..`.
    func contents(ofDirectory path: String) throws(FileFailure) -> [String]
}

/// The purpose of opening a file.
package enum FilePurpose: Hashable, Sendable {
    /// To read an existing file.
    case reading
    /// To read and write an existing file.
    case updating
    /// To read and write a file that must not exist yet.
    case creating
    /// To read and write a file; creates it if it does not exist.
    case updatingOrCreating
    /// To write a new file in place of any existing one.
    case replacing
    /// To write a file that must not exist yet; other users may read it if the user's settings
    /// allow that.
    case exporting
}

/// The kind and size of a file.
package struct FileStatus: Hashable, Sendable {
    /// The kinds that the cache distinguishes.
    package enum Kind: Hashable, Sendable {
        /// A plain file.
        case file
        /// A directory.
        case directory
        /// A symbolic link, a socket, a device.
        case other
    }

    /// The kind.
    package var kind: Kind
    /// How many bytes it has.
    package var size: Int64

    /// Creates a status.
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

extension FileStatus {
    /// Reads the system's answer.
    init(_ status: stat) {
        let kind: Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            default: .other
            }
        self.init(kind: kind, size: Int64(status.st_size))
    }
}

/// Identifies a descriptor's file on this machine, independently of its name.
package struct FileIdentity: Hashable, Sendable {
    /// The number of the file system.
    package var device: UInt64
    /// The number of the file in its file system.
    package var inode: UInt64

    /// Creates an identity.
    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

extension FileOperations {
    /// Asks the system with `fstat`.
    package func status(
        of descriptor: CInt
    ) throws(FileFailure) -> (file: FileStatus, identity: FileIdentity) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileFailure(errno: errno, operation: .look)
        }
        let identity = FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino)
        )
        return (FileStatus(status), identity)
    }

    /// The same as ``synchronize(_:)``, which does more.
    package func order(_ descriptor: CInt) throws(FileFailure) { try self.synchronize(descriptor) }

    /// Does nothing: for file systems without attributes.
    package func apply(
        _ attributes: DirectoryAttributes,
        toDirectory path: String
    ) throws(FileFailure) {}
}
