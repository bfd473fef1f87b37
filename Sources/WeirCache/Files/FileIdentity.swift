// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Which file of the machine a descriptor stands for, whatever its name is.
public struct FileIdentity: Hashable, Sendable {
    /// The file system that it is on.
    public var device: UInt64
    /// Its number there.
    public var inode: UInt64

    /// Names a file.
    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}

extension FileOperations {
    /// Asks the system with `fstat`.
    public func identity(of descriptor: CInt) throws(FileFailure) -> FileIdentity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw FileFailure(errno: errno, operation: .look)
        }
        return FileIdentity(
            device: UInt64(truncatingIfNeeded: status.st_dev),
            inode: UInt64(truncatingIfNeeded: status.st_ino)
        )
    }
}
