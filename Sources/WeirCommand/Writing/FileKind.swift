// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What lies at a path.
enum FileKind: Hashable, Sendable {
    case nothing
    case file
    case folder
    /// A character device: a terminal, `/dev/null`.
    case device
    case pipe
    /// A disk, a socket.
    case other
    /// A symbolic link, and what it leads to in the end; nothing, if it leads nowhere.
    indirect case link(to: FileKind)

    /// A look that failed.
    struct Failure: Error {
        /// What the system calls it.
        let code: CInt
    }

    /// Looks, without following the link that may lie there.
    ///
    /// - Throws: ``Failure``: a part of the path is no folder or must not be entered.
    init(path: String) throws(Failure) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            guard errno == ENOENT else { throw Failure(code: errno) }
            self = .nothing
            return
        }
        guard status.st_mode & S_IFMT == S_IFLNK else {
            self.init(mode: status.st_mode)
            return
        }
        self = .link(to: stat(path, &status) == 0 ? FileKind(mode: status.st_mode) : .nothing)
    }

    private init(mode: mode_t) {
        self =
            switch mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFCHR: .device
            case S_IFIFO: .pipe
            default: .other
            }
    }
}
