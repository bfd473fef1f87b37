// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirSource

/// Where a command writes its file: the one rule for all commands.
///
/// Nothing that exists is replaced or followed without `--force`. A device, a pipe and an open descriptor that the user
/// names are written to as they are; a name that an origin or the cache gave is cleaned, and is never one of these.
enum OutputTarget: Hashable, Sendable {
    case standardOutput
    /// A path that the user named.
    case chosen(String)
    /// A name that an origin or the cache gave, cleaned: a file in the folder where the command runs, or in one below;
    /// bytes that are no text are written as `FolderPath` writes them.
    case offered(String)

    /// How a target is written to.
    enum Way: Hashable, Sendable {
        /// Through a descriptor that is open already.
        case descriptor(CInt)
        /// Into the device or the pipe that lies there.
        case through
        /// Into a file that gets the name when it is whole.
        case file(isReplacing: Bool)
    }

    /// The target of the option `-o`, where `-` is standard output.
    init(option: String) {
        self = option == "-" ? .standardOutput : .chosen(option)
    }

    /// A name that an origin or the cache gave.
    ///
    /// - Parameters:
    ///   - name: the name, as it came.
    ///   - otherwise: the name where nothing is left of the given one.
    ///   - folder: where the file lies, with names as `FolderPath` writes them; `nil`: where the command runs.
    init(offered name: String?, otherwise: String = "download", in folder: String? = nil) {
        let name = EscapedName.text(of: (name.flatMap { FileName.cleaned($0) } ?? otherwise).utf8)
        self = .offered(folder.map { "\($0)/\(name)" } ?? name)
    }

    /// A name that a folder lists, whose bytes the file gets.
    ///
    /// - Parameters:
    ///   - name: the name, as `FolderPath` writes it.
    ///   - copy: which of the files it is that would have one name.
    ///   - folder: as above.
    init(listed name: String, copy: Int = 1, in folder: String? = nil) {
        let cleaned = FileName.cleaned(listed: name) ?? "download"
        let name = copy == 1 ? cleaned : FileName.numbered(listed: cleaned, copy: copy)
        self = .offered(folder.map { "\($0)/\(name)" } ?? name)
    }

    /// The path as the system has it.
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

    /// How it is called in sentences.
    var display: String { self == .standardOutput ? "Standard output" : self.path }

    /// Finds out what lies there, and decides how it is written to.
    ///
    /// A file or a link that lies there is replaced only by force.
    ///
    /// - Throws: ``CommandError`` with `usage` for what must not be replaced or is no file; with `failed` where it cannot be
    ///   looked at.
    func way(isForced: Bool) throws(CommandError) -> Way {
        guard self != .standardOutput else { return .descriptor(STDOUT_FILENO) }
        if let number = self.descriptor { return .descriptor(number) }
        return try self.way(FileKind(self.place), isForced: isForced)
    }

    /// Decides how it is written to, by what lies there.
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
        case .device, .pipe, .other: throw self.refusal("is no file; name one with -o.")
        case .file where isForced, .link where isForced: return .file(isReplacing: true)
        case .file:
            throw self.refusal(
                "is there already; name another file with -o, or replace it with --force."
            )
        case .link:
            throw self.refusal(
                "is a link, which is not followed; name another file with -o, or replace the link with --force."
            )
        }
    }

    /// The error for a system call that failed.
    func failure(_ number: CInt) -> CommandError {
        CommandError.failed(
            "\(self.display) cannot be written (\(String(cString: strerror(number)))); choose another place with -o."
        )
    }

    /// The error for a name that another file got in the meantime.
    var taken: CommandError {
        self.refusal(
            "came to be there meanwhile and was left as it is; name another file with -o, or replace it with --force."
        )
    }

    private func refusal(_ reason: String) -> CommandError {
        CommandError.usage("\(self.path) \(reason)")
    }

    /// The number of an open descriptor that a path stands for: `/dev/stdout`, or what a shell makes of `>(…)`.
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

/// The kind of file that lies at a path.
enum FileKind: Hashable, Sendable {
    case nothing
    case file
    case folder
    /// A character device: a terminal, `/dev/null`.
    case device
    case pipe
    /// A disk, a socket.
    case other
    /// A symbolic link, and the kind of its end; nothing, if it leads nowhere.
    indirect case link(to: FileKind)
    /// Unknown, since a part of the path is no folder or must not be entered: the number of the system's error.
    case inaccessible(CInt)

    /// Whether it is a folder, or a link to one.
    var isFolder: Bool { self == .folder || self == .link(to: .folder) }

    /// Looks, without following the link that may lie there.
    init(path: String) { self.init(LocalPath(path)) }

    /// The same for a path that need not be text.
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

/// The identity of a file, whatever its name.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    init(_ status: stat) {
        self.device = UInt64(truncatingIfNeeded: status.st_dev)
        self.number = UInt64(status.st_ino)
    }

    /// The file of a path; `nil` if there is none.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }
}
