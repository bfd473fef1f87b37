// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// A file that appears under its name only when it is whole.
struct DownloadFile {
    private let path: String
    private let temporary: String?
    private let descriptor: Int32

    /// Opens a temporary file beside the one that is meant; `-` is standard output, and a device or a pipe is written to as
    /// it is.
    ///
    /// - Throws: ``CommandError`` if the folder cannot be written to.
    init(path: String) throws {
        self.path = path
        guard path != "-" else {
            self.temporary = nil
            self.descriptor = STDOUT_FILENO
            return
        }
        var isFolder: ObjCBool = false
        if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue
        {
            throw CommandError(.usage, "\(path) is a folder; name a file with -o.")
        }
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            // A device or a pipe: there is no other file to be put into its place.
            self.temporary = nil
            self.descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard self.descriptor >= 0 else { throw DownloadFile.failure(path) }
            return
        }
        let temporary = "\(path).weir-\(ProcessInfo.processInfo.processIdentifier)"
        self.temporary = temporary
        self.descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard self.descriptor >= 0 else { throw DownloadFile.failure(path) }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandError`` if the disk is full or the reader of a pipe has gone.
    func write(_ bytes: ByteMemory) throws {
        try bytes.withUnsafeBytes { try self.write($0) }
    }

    /// Appends bytes.
    ///
    /// - Throws: ``CommandError`` if the disk is full or the reader of a pipe has gone.
    func write(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Foundation.write(
                self.descriptor,
                UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                rest.count
            )
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DownloadFile.failure(self.path) }
            rest = rest.dropFirst(count)
        }
    }

    /// Gives the whole file its name.
    func finish() throws {
        guard let temporary else { return }
        close(self.descriptor)
        guard rename(temporary, self.path) == 0 else { throw DownloadFile.failure(self.path) }
    }

    /// Leaves nothing behind.
    func discard() {
        guard let temporary else { return }
        close(self.descriptor)
        unlink(temporary)
    }

    private static func failure(_ path: String) -> CommandError {
        let reason = String(cString: strerror(errno))
        return CommandError(
            .failed,
            "\(path == "-" ? "Standard output" : path) cannot be written (\(reason)); choose another place with -o."
        )
    }
}
