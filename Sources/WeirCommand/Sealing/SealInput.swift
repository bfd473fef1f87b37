// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The input of sealing: a file or standard input, read in pieces.
///
/// The value owns its descriptor, and closes it in `deinit`.
final class SealInput: Sendable {
    /// The name of the input in messages.
    let name: String
    /// The size, if it is known.
    let size: Int64?

    private let descriptor: Int32
    private let identity: FileIdentity

    /// Opens a file; `-` is standard input.
    ///
    /// - Throws: ``CommandError`` with `notFound` or `usage`.
    init(path: String) throws(CommandError) {
        self.name = path == "-" ? "standard input" : path
        let descriptor = path == "-" ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Self.failure(self.name, .notFound) }
        self.descriptor = descriptor
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw Self.failure(self.name, .failed) }
        guard status.st_mode & S_IFMT != S_IFDIR else {
            throw CommandError.usage(
                "\(path) is a folder; name a file, since files are sealed one by one."
            )
        }
        self.size = status.st_mode & S_IFMT == S_IFREG ? Int64(status.st_size) : nil
        self.identity = FileIdentity(status)
    }

    /// Whether a file is this input, whatever its name.
    func isSame(as other: FileIdentity) -> Bool { self.identity == other }

    /// Fills memory, and returns the number of bytes: fewer only at the end, and 0 after the end.
    ///
    /// - Throws: ``CommandError`` with `failed`; `CancellationError`, at the latest a quarter of a
    ///   second after the task's cancellation.
    func read(into memory: UnsafeMutableRawBufferPointer) throws -> Int {
        var filled = 0
        while filled < memory.count {
            try Task.checkCancellation()
            // A terminal or a pipe may send nothing for a long time.
            var waiting = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 250) != 0 else { continue }
            let rest = UnsafeMutableRawBufferPointer(rebasing: memory[filled...])
            let count = Foundation.read(self.descriptor, rest.baseAddress, rest.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw Self.failure(self.name, .failed) }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    deinit {
        if self.descriptor != STDIN_FILENO { close(self.descriptor) }
    }

    /// The error for the system call that has just failed.
    private static func failure(_ name: String, _ status: ExitStatus) -> CommandError {
        let reason = String(cString: strerror(errno))
        return CommandError(
            status,
            "\(name) cannot be read (\(reason)); check its name and its permissions."
        )
    }
}
