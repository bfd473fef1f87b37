// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization
internal import WeirSource

/// An open file of this machine, as it was when it was opened.
final class OpenFile: LeasedFile {
    private let handle: CInt
    let status: FileStatusReading
    private let display: String
    /// What was seen last.
    private let seen: Mutex<FileStatusReading>

    /// Opens a file to read.
    ///
    /// - Throws: `SourceError` with `notFound`, `forbidden`, or `invalidRequest` for what is no file.
    init(path: LocalPath, display: String) throws(SourceError) {
        // A pipe would wait for its other end.
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw FileStatusReading.failure(errno, display) }
        guard let status = FileStatusReading.status(of: descriptor), status.isFile else {
            let isFolder = FileStatusReading.status(of: descriptor)?.isFolder == true
            close(descriptor)
            throw isFolder
                ? CloudSentences.isFolder(display, host: nil)
                : SourceError(
                    .invalidRequest,
                    "\(display) is no file but a device, a pipe or a socket; name a file."
                )
        }
        self.handle = descriptor
        self.status = status
        self.display = display
        self.seen = Mutex(status)
    }

    /// None: others may write to the file.
    ///
    /// The system would send its bytes as they are when they leave the socket's buffer, long after anybody has looked
    /// whether they are still the same. What is read into memory is compared afterwards, and stays what it is.
    var descriptor: CInt? { nil }

    deinit {
        close(self.handle)
    }

    /// Whether the file is still what it was: length, both times and inode.
    var isUnchanged: Bool {
        guard let now = FileStatusReading.status(of: self.handle) else { return false }
        return self.seen.withLock { seen in
            guard seen.hasSameBytes(in: now) else { return false }
            seen = now
            return true
        }
    }

    /// What a reader is told when the file is no longer what was opened.
    var changed: SourceError {
        SourceError(
            .changed,
            "\(self.display) has changed while it was being read; read it again from the start."
        )
    }

    /// Reads at a position.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        while true {
            let count = pread(self.handle, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 {
                // Looked at afterwards: what is unchanged now was so when it was read.
                guard self.isUnchanged else { throw self.changed }
                return count
            }
            guard errno == EINTR else { throw FileStatusReading.failure(errno, self.display) }
        }
    }
}
