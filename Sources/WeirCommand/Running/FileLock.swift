// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A lock that processes hold one after the other; the system lets it go with its process.
final class FileLock {
    private var descriptor: Int32?

    /// Takes the lock of a file, which is made if there is none.
    ///
    /// - Parameters:
    ///   - path: the file; nothing is ever in it.
    ///   - isWaiting: whether to wait for whoever holds it.
    /// - Throws: `CocoaError` if it cannot be made, or is held.
    init(path: String, isWaiting: Bool) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteNoPermission) }
        while flock(descriptor, isWaiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            guard errno == EINTR else {
                close(descriptor)
                throw CocoaError(.fileLocking)
            }
        }
        self.descriptor = descriptor
    }

    /// Lets it go; once is enough.
    func release() {
        guard let descriptor else { return }
        close(descriptor)
        self.descriptor = nil
    }

    deinit { self.release() }
}
