// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// Gives a file that is whole its name, without replacing what has that name.
///
/// The one place where a file that was written for the user gets its name: recordings use it, and so does the program,
/// for what it downloads, exports and seals.
package struct FileNaming: Sendable {
    /// What came of it.
    package enum Outcome: Hashable, Sendable {
        /// The file has the name, and no other.
        case given
        /// Something else has the name; the file keeps its old one.
        case taken
        /// It could not be done, and why (`errno`); the file keeps its old name.
        case failed(CInt)
    }

    /// Gives a file a second name: 0, or `errno`.
    private let link: @Sendable (_ path: String, _ name: String) -> CInt

    /// Names files as the file system can.
    package init() {
        self.init { path, name in systemLink(path, name) == 0 ? 0 : errno }
    }

    /// Names files on a file system that answers so to a second name.
    package init(link: @escaping @Sendable (_ path: String, _ name: String) -> CInt) {
        self.link = link
    }

    /// Gives a file another name in the same folder.
    ///
    /// A link fails where a rename would replace. Where the file system has none (FAT, some network ones), the name is
    /// taken first, with an empty file that must not exist, and that is the only thing the rename replaces.
    ///
    /// - Parameters:
    ///   - name: the path that it is to have.
    ///   - path: the one it has.
    ///   - isReplacing: whether a file or a link of that name is replaced; what a link leads to is not touched.
    /// - Returns: what came of it.
    package func give(_ name: String, to path: String, isReplacing: Bool = false) -> Outcome {
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

private func systemLink(_ path: String, _ name: String) -> CInt { link(path, name) }
