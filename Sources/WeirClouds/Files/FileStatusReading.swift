// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import WeirSource

/// What the file system says of a file.
struct FileStatusReading: Hashable {
    let length: Int64
    let isFolder: Bool
    let isFile: Bool
    let modifiedSeconds: Int64
    /// Tells one content from the next, as far as the file system's clock can.
    let version: String

    /// Asks by path; symbolic links are followed.
    ///
    /// - Throws: `SourceError` with `notFound` or `forbidden`.
    static func status(of path: String, display: String) throws(SourceError) -> FileStatusReading {
        var status = stat()
        guard stat(path, &status) == 0 else { throw self.failure(errno, display) }
        return FileStatusReading(status)
    }

    /// Asks by descriptor; `nil` if that fails.
    static func status(of descriptor: CInt) -> FileStatusReading? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        return FileStatusReading(status)
    }

    static func failure(_ number: CInt, _ display: String) -> SourceError {
        switch number {
        case ENOENT, ENOTDIR: CloudSentences.notFound(display, status: nil, host: nil)
        case EACCES, EPERM:
            SourceError(
                .forbidden,
                "\(display) must not be read by this user; change its permissions, or run as another user."
            )
        default:
            SourceError(
                .originFailed,
                "\(display) cannot be read (\(String(cString: strerror(number)))); look at the disk that it is on."
            )
        }
    }

    private init(_ status: stat) {
        #if canImport(Darwin)
        let modified = status.st_mtimespec
        #else
        let modified = status.st_mtim
        #endif
        self.length = Int64(status.st_size)
        self.isFolder = status.st_mode & S_IFMT == S_IFDIR
        self.isFile = status.st_mode & S_IFMT == S_IFREG
        self.modifiedSeconds = Int64(modified.tv_sec)
        self.version =
            "file:\(status.st_ino)-\(status.st_size)-\(modified.tv_sec).\(modified.tv_nsec)"
    }

    func entry(name: String) -> FolderEntry {
        FolderEntry(
            name: name,
            kind: self.isFolder ? .folder : .file,
            length: self.isFolder ? nil : self.length,
            mediaType: nil,
            modifiedSeconds: self.modifiedSeconds,
            validator: self.isFile ? .revision(self.version) : nil
        )
    }
}
