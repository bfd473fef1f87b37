// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A lock between processes, and between tasks of one process: an exclusive `flock` on a separate
/// file.
///
/// The system releases the lock when the process ends in any way. The file stays: if it were
/// removed, two processes could lock two files of the same name.
package final class FileLock: Sendable {
    private let descriptor: Mutex<CInt?>

    /// Takes the lock; `nil` if another holder has it.
    ///
    /// - Parameters:
    ///   - path: the file, which is created if it is missing; its folder must exist.
    ///   - waits: whether to block the thread until the lock is free.
    /// - Throws: `invalidRequest` if the file cannot be made or locked.
    package init?(_ path: String, waiting waits: Bool) throws(SourceError) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw PrivateFile.failure(path, "could not be opened") }
        while flock(descriptor, waits ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
            if errno == EINTR { continue }
            let isTaken = errno == EWOULDBLOCK
            let failure = PrivateFile.failure(path, "could not be locked")
            close(descriptor)
            if isTaken { return nil }
            throw failure
        }
        self.descriptor = Mutex(descriptor)
    }

    deinit { self.release() }

    /// Releases the lock; a second call does nothing.
    package func release() {
        let closing = self.descriptor.withLock { descriptor in
            let closing = descriptor
            descriptor = nil
            return closing
        }
        if let closing { close(closing) }
    }
}
