// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A small file that only its owner may read, and that is replaced as a whole.
struct PrivateFile: Sendable {
    /// Where it lies; its folder is made, for its owner only, when the file is.
    let path: String

    /// Takes the lock that belongs to the file: a file beside it, since the file itself is replaced.
    ///
    /// - Parameter isWaiting: whether to wait for whoever holds it.
    /// - Returns: the lock.
    /// - Throws: `CocoaError`.
    func lock(waiting isWaiting: Bool) throws -> FileLock {
        try self.makeFolder()
        return try FileLock(path: "\(self.path).lock", isWaiting: isWaiting)
    }

    /// Puts other bytes in its place: who reads sees the old or the new, also after a power cut.
    ///
    /// - Throws: `CocoaError`.
    func replace(with bytes: Data) throws {
        try self.makeFolder()
        let temporary = "\(self.path).\(ProcessInfo.processInfo.processIdentifier)"
        do {
            unlink(temporary)
            let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
            let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            try handle.write(contentsOf: bytes)
            try handle.synchronize()
            try handle.close()
            guard rename(temporary, self.path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            unlink(temporary)
            throw error
        }
    }

    private func makeFolder() throws {
        try FileManager.default.createDirectory(
            atPath: (self.path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }
}
