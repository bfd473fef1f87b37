// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Gives a complete file its name, and replaces a file of that name only on request.
///
/// All files that Weir writes for the user get their names here: recordings, and the downloads, exports and seals
/// of the program.
package struct FileNaming: Sendable {
    /// The result of naming a file.
    package enum Outcome: Hashable, Sendable {
        /// The file has only the new name.
        case given
        /// Another file has the name; the file keeps its old one.
        case taken
        /// Naming failed, with this `errno`; the file keeps its old name.
        case failed(CInt)
    }

    /// Gives a file a second name; returns 0, or `errno`.
    private let link: @Sendable (_ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> CInt

    /// Names files with the system's hard links.
    package init() {
        self.init { path, name in systemLink(path, name) == 0 ? 0 : errno }
    }

    /// Names files with the given function in place of hard links.
    package init(
        link:
            @escaping @Sendable (_ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> CInt
    ) {
        self.link = link
    }

    /// Gives a file another name in the same folder.
    ///
    /// A hard link fails when the name exists, while a rename would replace the file. Some file systems have no
    /// hard links (FAT, some network ones). There the function first creates an empty file of that name, which must
    /// not exist, and the rename replaces only that file.
    ///
    /// - Parameters:
    ///   - name: the new path.
    ///   - path: the current path.
    ///   - isReplacing: whether a file or a link of that name is replaced; a link's target does not change.
    /// - Returns: the result.
    package func give(_ name: String, to path: String, isReplacing: Bool = false) -> Outcome {
        name.withCString { name in
            path.withCString { self.give(pointer: name, to: $0, isReplacing: isReplacing) }
        }
    }

    /// The same for paths that may not be valid text.
    package func give(
        pointer name: UnsafePointer<CChar>,
        to path: UnsafePointer<CChar>,
        isReplacing: Bool = false
    ) -> Outcome {
        if isReplacing { return rename(path, name) == 0 ? .given : .failed(errno) }
        switch self.link(path, name) {
        case 0:
            unlink(path)
            return .given
        case EEXIST: return .taken
        case EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK, EACCES, EXDEV: break
        case let number: return .failed(number)
        }
        let descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno == EEXIST ? .taken : .failed(errno) }
        close(descriptor)
        guard rename(path, name) == 0 else {
            let number = errno
            unlink(name)
            return .failed(number)
        }
        return .given
    }
}

private func systemLink(_ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> CInt {
    link(path, name)
}
