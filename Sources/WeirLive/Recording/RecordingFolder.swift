// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The folder that the files of a recording are put into.
///
/// Nothing that is there is written to, and no link is followed: a file is made under a name that nothing has, with
/// `.part` behind it, and gets its own when it is whole. Nothing is replaced, either, unless that was asked for: then a
/// file or a link of the same name is, at that moment.
struct RecordingFolder: Sendable {
    /// Its path, without a slash at the end.
    let path: String
    /// Whether a file of an earlier recording that has the same name is replaced.
    let isReplacing: Bool
    private let naming = FileNaming()
    /// How many files of one name there can be.
    private static let mostCopies = 10_000

    /// Takes a folder, and makes it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: where it is; what it is in exists.
    ///   - isReplacing: whether a file of the same name is replaced; otherwise the new one gets a number.
    /// - Throws: if it cannot be made, or is no folder that can be written to.
    init(_ path: String, isReplacing: Bool = false) throws(RecordingError) {
        self.isReplacing = isReplacing
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
        self.path = path.isEmpty ? "." : String(path)
        guard mkdir(self.path, 0o777) == 0 || errno == EEXIST else { throw self.failure("made") }
        let descriptor = open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw self.failure("opened") }
        close(descriptor)
        guard access(self.path, W_OK | X_OK) == 0 else { throw self.failure("written to") }
    }

    /// Makes a file.
    ///
    /// - Parameters:
    ///   - file: what it is to be called.
    ///   - station: stands for the title where there is none.
    /// - Returns: the file, open and empty.
    /// - Throws: if it cannot be made.
    ///
    /// Its number is higher than those in the folder, so that two recordings of one folder stand behind each other, or
    /// take turns, unless it is to replace what has its name.
    func make(_ file: RecordingFile, station: String) throws(RecordingError) -> OpenRecording {
        var file = file
        if !self.isReplacing { file.number = max(file.number, self.highestNumber + 1) }
        for copy in 1...Self.mostCopies {
            let path = "\(self.path)/\(file.name(station: station, copy: copy))"
            guard self.isFree(path) else { continue }
            let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
            let descriptor = open(path + ".part", flags, 0o666)
            if descriptor < 0, errno == EEXIST || errno == EINTR { continue }
            guard descriptor >= 0 else { throw self.failure("written to") }
            return OpenRecording(descriptor: descriptor, path: path, title: file.title)
        }
        throw RecordingError(
            "There are too many files of one name in the folder \(self.path); record to another folder."
        )
    }

    /// Gives a file that is whole its name: another number, if the name was taken meanwhile.
    ///
    /// - Returns: the path it has now.
    /// - Throws: if that cannot be done; it keeps its `.part` then.
    func keep(
        _ path: String,
        _ file: RecordingFile,
        station: String
    ) throws(RecordingError) -> String {
        let part = path + ".part"
        var file = file
        file.number = Self.number(path.split(separator: "/").last ?? "") ?? file.number
        if self.isReplacing, self.naming.give(path, to: part, isReplacing: true) == .given {
            return path
        }
        for copy in 1...Self.mostCopies {
            let name =
                copy == 1 ? path : "\(self.path)/\(file.name(station: station, copy: copy))"
            switch self.naming.give(name, to: part) {
            case .given: return name
            case .taken: continue
            case .failed(let number): throw self.failure("written to", number)
            }
        }
        throw self.failure("written to", EEXIST)
    }

    /// Removes a file into which nothing could be written.
    func discard(_ path: String) {
        unlink(path + ".part")
    }

    /// The highest number that a name in the folder begins with, as those of recordings do: `07 `.
    private var highestNumber: Int {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.path)) ?? []
        return names.compactMap { Self.number($0[...]) }.max() ?? 0
    }

    private static func number(_ name: Substring) -> Int? {
        let digits = name.prefix { $0.isASCII && $0.isNumber }
        guard (2...4).contains(digits.count), name.dropFirst(digits.count).first == " " else {
            return nil
        }
        return Int(digits)
    }

    /// Whether a file can get a name when it is whole.
    private func isFree(_ path: String) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0 else { return true }
        let kind = status.st_mode & S_IFMT
        return self.isReplacing && (kind == S_IFREG || kind == S_IFLNK)
    }

    private func failure(_ what: String, _ number: CInt = errno) -> RecordingError {
        RecordingError(
            "The folder \(self.path) could not be \(what) (\(String(cString: strerror(number))));"
                + " record to another folder."
        )
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
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
    private let link: @Sendable (_ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> CInt

    /// Names files as the file system can.
    package init() {
        self.init { path, name in systemLink(path, name) == 0 ? 0 : errno }
    }

    /// Names files on a file system that answers so to a second name.
    package init(
        link:
            @escaping @Sendable (_ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>) -> CInt
    ) {
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
        name.withCString { name in
            path.withCString { self.give(pointer: name, to: $0, isReplacing: isReplacing) }
        }
    }

    /// The same for paths that need not be text.
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
