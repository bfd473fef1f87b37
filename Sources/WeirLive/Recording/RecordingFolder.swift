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

/// The folder for the files of a recording.
///
/// The recorder writes to no existing file, and follows no link. It creates a file under an unused
/// name with `.part` behind it, and gives the file its own name when it is complete. It replaces
/// nothing, unless the user asked for that: then it replaces a file or a link of the same name at
/// that moment.
struct RecordingFolder: Sendable {
    /// Its path, without a slash at the end.
    let path: String
    /// Whether a file of an earlier recording with the same name is replaced.
    let isReplacing: Bool
    private let naming = FileNaming()
    /// How many files of one name there can be.
    private static let mostCopies = 10_000

    /// Opens a folder, and creates it if it does not exist.
    ///
    /// - Parameters:
    ///   - path: the folder's path; its parent must exist.
    ///   - isReplacing: whether a file of the same name is replaced; otherwise the new file gets a
    ///     number.
    /// - Throws: if the folder cannot be made, or is not a writable folder.
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

    /// Creates a file.
    ///
    /// The file's number is higher than the numbers in the folder, unless the file may replace one
    /// of its name. So the files of two recordings in one folder follow each other, or alternate.
    ///
    /// - Parameters:
    ///   - file: the file's name.
    ///   - station: used in place of a missing title.
    /// - Returns: the file, open and empty.
    /// - Throws: if it cannot be created.
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
            "The folder \(self.path) has too many files with the same name; record to another folder."
        )
    }

    /// Gives a complete file its name, with a copy number if the name was taken meanwhile.
    ///
    /// - Returns: the file's path.
    /// - Throws: if the file cannot be renamed; it then keeps its `.part`.
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

    /// Removes a file that received no bytes.
    func discard(_ path: String) {
        unlink(path + ".part")
    }

    /// The highest number at the beginning of a name in the folder, as in names of recordings:
    /// `07 `.
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

    /// Whether a complete file can get this name.
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
