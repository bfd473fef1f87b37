// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WeirSource

/// An open file of this machine, as it was when it was opened.
final class OpenFile: LeasedFile {
    private let handle: CInt
    let status: FileStatusReading
    private let display: String

    /// Opens a file to read.
    ///
    /// - Throws: `SourceError` with `notFound`, `forbidden`, or `invalidRequest` for what is no file.
    init(path: String, display: String) throws(SourceError) {
        // A pipe would wait for its other end.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
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
    }

    var descriptor: CInt? { self.handle }

    deinit {
        close(self.handle)
    }

    /// Whether the file is still what it was.
    var isUnchanged: Bool { FileStatusReading.status(of: self.handle) == self.status }

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
