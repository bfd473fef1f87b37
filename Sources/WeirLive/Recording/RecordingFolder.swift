// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The folder that the files of a recording are put into.
///
/// Nothing that is there is ever written to or replaced, and no link is followed: a file is made under a name that
/// nothing has, with `.part` behind it, and gets its own when it is whole.
struct RecordingFolder: Sendable {
    /// Its path, without a slash at the end.
    let path: String
    /// How many files of one name there can be.
    private static let mostCopies = 10_000

    /// Takes a folder, and makes it if it does not exist.
    ///
    /// - Throws: if it cannot be made, or is no folder that can be written to.
    init(_ path: String) throws(RecordingError) {
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
    func make(_ file: RecordingFile, station: String) throws(RecordingError) -> OpenRecording {
        for copy in 1...Self.mostCopies {
            let path = "\(self.path)/\(file.name(station: station, copy: copy))"
            guard !Self.exists(path) else { continue }
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

    /// Gives a file that is whole its name: another number, if somebody has taken the name since.
    ///
    /// - Returns: the path it has now.
    /// - Throws: if that cannot be done; it keeps its `.part` then.
    func keep(
        _ path: String,
        _ file: RecordingFile,
        station: String
    ) throws(RecordingError) -> String {
        let part = path + ".part"
        var name = path
        for copy in 2...Self.mostCopies {
            // A link fails where a rename would replace; some file systems have none.
            if link(part, name) == 0 {
                unlink(part)
                return name
            }
            if errno != EEXIST {
                guard !Self.exists(name) else { continue }
                guard rename(part, name) == 0 else { throw self.failure("written to") }
                return name
            }
            name = "\(self.path)/\(file.name(station: station, copy: copy))"
        }
        throw self.failure("written to")
    }

    /// Removes a file into which nothing could be written.
    func discard(_ path: String) {
        unlink(path + ".part")
    }

    private static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    private func failure(_ what: String) -> RecordingError {
        RecordingError(
            "The folder \(self.path) could not be \(what) (\(String(cString: strerror(errno))));"
                + " record to another folder."
        )
    }
}
