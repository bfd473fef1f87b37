// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirSource

/// The target of a command's file, with the same rules for all commands.
///
/// Without `--force`, a command replaces no existing file and follows no link. It writes to a
/// device, a pipe or an open descriptor that the user names, also through a link. A name from an
/// origin or the cache is cleaned, and never means a device, a pipe or a descriptor.
enum OutputTarget: Hashable, Sendable {
    case standardOutput
    /// A path that the user named.
    case chosen(String)
    /// A cleaned name from an origin or the cache: a file in the current folder or below it.
    ///
    /// Bytes that are not text are written as `FolderPath` writes them.
    case offered(String)

    /// How a command writes to a target.
    enum Way: Hashable, Sendable {
        /// Through an open descriptor.
        case descriptor(CInt)
        /// Into the device or the pipe at the path.
        case through
        /// Into a file that gets its name when it is whole.
        case file(isReplacing: Bool)
    }

    /// The target of the option `-o`; `-` is standard output.
    init(option: String) {
        self = option == "-" ? .standardOutput : .chosen(option)
    }

    /// The target for a name from an origin or the cache.
    ///
    /// - Parameters:
    ///   - name: the name, not cleaned.
    ///   - otherwise: the name to use if cleaning leaves nothing.
    ///   - folder: the folder of the file, with names as `FolderPath` writes them; `nil` for the
    ///     current folder.
    init(offered name: String?, otherwise: String = "download", in folder: String? = nil) {
        let name = EscapedName.text(of: (name.flatMap { FileName.cleaned($0) } ?? otherwise).utf8)
        self = .offered(folder.map { "\($0)/\(name)" } ?? name)
    }

    /// The target for a name from a folder's listing; the file's name keeps its bytes.
    ///
    /// - Parameters:
    ///   - name: the name, as `FolderPath` writes it.
    ///   - copy: the number of this file among the files that would get the same name, from 1.
    ///   - folder: as in ``init(offered:otherwise:in:)``.
    init(listed name: String, copy: Int = 1, in folder: String? = nil) {
        let cleaned = FileName.cleaned(listed: name) ?? "download"
        let name = copy == 1 ? cleaned : FileName.numbered(listed: cleaned, copy: copy)
        self = .offered(folder.map { "\($0)/\(name)" } ?? name)
    }

    /// The path as bytes for the system.
    var place: LocalPath {
        switch self {
        case .standardOutput, .chosen: LocalPath(self.path)
        case .offered(let path): LocalPath(bytes: EscapedName.bytes(of: path))
        }
    }

    /// The path; `-` for standard output.
    var path: String {
        switch self {
        case .standardOutput: "-"
        case .chosen(let path), .offered(let path): path
        }
    }

    /// The name of the target in messages.
    var display: String { self == .standardOutput ? "Standard output" : self.path }

    /// Looks at the path, and decides how to write to it.
    ///
    /// A file or a link there is replaced only by force.
    ///
    /// - Throws: ``CommandError`` with `usage` if the target must not be replaced or is not a file;
    ///   with `failed` if the path cannot be examined.
    func way(isForced: Bool) throws(CommandError) -> Way {
        guard self != .standardOutput else { return .descriptor(STDOUT_FILENO) }
        if let number = self.descriptor { return .descriptor(number) }
        return try self.way(FileKind(self.place), isForced: isForced)
    }

    /// Decides how to write to the target, by the kind of file at its path.
    ///
    /// - Throws: as ``way(isForced:)``.
    func way(_ kind: FileKind, isForced: Bool) throws(CommandError) -> Way {
        let isChosen = self == .chosen(self.path)
        switch kind {
        case .nothing: return .file(isReplacing: isForced)
        case .inaccessible(let number): throw self.failure(number)
        case .folder: throw self.refusal("is a folder; name a file with -o.")
        case .device where isChosen, .pipe where isChosen: return .through
        case .link(let end) where isChosen && (end == .device || end == .pipe): return .through
        case .device, .pipe, .other: throw self.refusal("is not a regular file; name one with -o.")
        case .file where isForced, .link where isForced: return .file(isReplacing: true)
        case .file:
            throw self.refusal(
                "exists already; name another file with -o, or replace it with --force."
            )
        case .link:
            throw self.refusal(
                "is a link, and weir does not follow it; name another file with -o, or replace the link with --force."
            )
        }
    }

    /// The error for a system call that failed.
    func failure(_ number: CInt) -> CommandError {
        CommandError.failed(
            "\(self.display) cannot be written (\(String(cString: strerror(number)))); choose another place with -o."
        )
    }

    /// The error if another file got the name in the meantime.
    var taken: CommandError {
        self.refusal(
            "was created by another program and has not been changed; name another file with -o, or replace it with"
                + " --force."
        )
    }

    private func refusal(_ reason: String) -> CommandError {
        CommandError.usage("\(self.path) \(reason)")
    }

    /// The number of the open descriptor that a path means: `/dev/stdout`, or the path of a shell's
    /// `>(…)`.
    private var descriptor: CInt? {
        guard case .chosen(let path) = self else { return nil }
        switch path {
        case "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default:
            for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
                return CInt(path.dropFirst(folder.count)).flatMap { $0 >= 0 ? $0 : nil }
            }
            return nil
        }
    }
}

/// The kind of file at a path.
enum FileKind: Hashable, Sendable {
    case nothing
    case file
    case folder
    /// A character device: a terminal, `/dev/null`.
    case device
    case pipe
    /// A disk, a socket.
    case other
    /// A symbolic link, and the kind of its end; `nothing` if the link is broken.
    indirect case link(to: FileKind)
    /// Unknown, since a part of the path is not a folder or not accessible; with the system's error
    /// number.
    case inaccessible(CInt)

    /// Whether it is a folder, or a link to one.
    var isFolder: Bool { self == .folder || self == .link(to: .folder) }

    /// Examines a path, without following a link at its end.
    init(path: String) { self.init(LocalPath(path)) }

    /// Examines a path that need not be text, without following a link at its end.
    init(_ place: LocalPath) {
        var status = stat()
        guard place.withCString({ lstat($0, &status) }) == 0 else {
            self = errno == ENOENT ? .nothing : .inaccessible(errno)
            return
        }
        guard status.st_mode & S_IFMT == S_IFLNK else {
            self.init(mode: status.st_mode)
            return
        }
        let isThere = place.withCString { stat($0, &status) } == 0
        self = .link(to: isThere ? FileKind(mode: status.st_mode) : .nothing)
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

/// The identity of a file, independent of its name.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    init(_ status: stat) {
        self.device = UInt64(truncatingIfNeeded: status.st_dev)
        self.number = UInt64(status.st_ino)
    }

    /// The identity of the file at a path; `nil` if no file exists there.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
