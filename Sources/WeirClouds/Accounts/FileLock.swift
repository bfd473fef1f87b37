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

/// A lock between processes, and between tasks of one: an exclusive `flock` on a file of its own.
///
/// The system takes it back when the process ends, however it ends. The file stays: to remove it
/// would let two processes lock two files of one name.
package final class FileLock: Sendable {
    private let descriptor: Mutex<CInt?>

    /// Takes the lock; `nil` if another holder has it.
    ///
    /// - Parameters:
    ///   - path: the file, which is made if there is none; its folder exists.
    ///   - waits: whether to hold the thread until the lock is free.
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

    /// Lets the next one have it; to call it twice does nothing.
    package func release() {
        let closing = self.descriptor.withLock { descriptor in
            let closing = descriptor
            descriptor = nil
            return closing
        }
        if let closing { close(closing) }
    }
}
