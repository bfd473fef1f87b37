// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Operations on the directory itself, before its files are read.
extension Cache {
    /// The absolute path of a directory, without slashes at its end, like ``directory``.
    package static func absolutePath(_ path: String) -> String {
        var absolute = path
        if !path.hasPrefix("/") {
            absolute = FileManager.default.currentDirectoryPath + "/" + path
        }
        while absolute.count > 1, absolute.hasSuffix("/") { absolute.removeLast() }
        return absolute
    }

    /// Creates the directory, and its parents, if they do not exist.
    ///
    /// - Throws: ``CacheError`` with `notADirectory`, `notWritable`, `full`, `io`.
    static func makeDirectory(_ path: String, _ disk: Disk) throws(CacheError) {
        do throws(FileFailure) {
            try self.makeDirectories(path, disk)
        } catch {
            throw CacheError("open the cache directory", path: path, failure: error)
        }
    }

    /// Whether the directory exists.
    ///
    /// - Throws: ``CacheError`` with `notADirectory` if the path names another kind of file.
    static func directoryExists(_ path: String, _ disk: Disk) throws(CacheError) -> Bool {
        do throws(FileFailure) {
            // The dot makes the system follow a link, and refuse a path to a file.
            return try disk.status(of: path + "/.") != nil
        } catch {
            throw CacheError("open the cache directory", path: path, failure: error)
        }
    }

    private static func makeDirectories(_ path: String, _ disk: Disk) throws(FileFailure) {
        guard try disk.status(of: path + "/.") == nil else { return }
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        if !parent.isEmpty { try self.makeDirectories(parent, disk) }
        if try disk.createDirectory(path) {
            try disk.synchronizeDirectory(parent.isEmpty ? "/" : parent)
        }
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The lock by which this process owns a cache directory.
///
/// An exclusive lock on the file `lock` in the directory; the file contains the number of the
/// process. The system removes the lock when the process ends, even after a crash.
final class DirectoryLock: Sendable {
    /// The file's name in the cache directory.
    static let fileName = "lock"

    private let descriptor: Mutex<CInt?>
    private let disk: Disk

    /// Takes the lock.
    ///
    /// - Throws: ``CacheError`` with `inUse` if another cache has it; `notWritable`, `full`, `io`.
    init(directory: String, _ disk: Disk) throws(CacheError) {
        let path = "\(directory)/\(Self.fileName)"
        let opened: CInt
        do throws(FileFailure) {
            opened = try disk.openToRead(path, or: .updatingOrCreating)
        } catch {
            throw CacheError("use the cache directory", path: directory, failure: error)
        }
        let isTaken: Bool
        do throws(FileFailure) {
            isTaken = try disk.lock(opened)
        } catch {
            disk.close(opened)
            throw CacheError("lock the cache directory", path: directory, failure: error)
        }
        guard isTaken else {
            let owner = Self.owner(in: opened, disk)
            disk.close(opened)
            throw CacheError.inUse(directory, owner: owner, isOurs: owner == getpid())
        }
        // A process that finds the directory in use reads the owner's process number here. If this
        // text cannot be written, the lock is still in force.
        let text = Array("\(getpid())\n".utf8)
        try? disk.truncate(opened, to: 0)
        try? text.withUnsafeBytes { try disk.write(opened, from: $0, at: 0) }
        self.disk = disk
        self.descriptor = Mutex(opened)
    }

    deinit { self.release() }

    /// Releases the directory for the next process.
    ///
    /// The file stays: if it were removed, two processes could lock two files of the same name.
    func release() {
        let closing = self.descriptor.withLock { descriptor in
            let closing = descriptor
            descriptor = nil
            return closing
        }
        if let closing { self.disk.close(closing) }
    }

    /// Whether the lock file still has its name; `false` if the directory was removed or replaced.
    func isInPlace(in directory: String) -> Bool {
        self.descriptor.withLock { descriptor in
            guard let descriptor else { return false }
            var (ours, found) = (stat(), stat())
            guard fstat(descriptor, &ours) == 0 else { return false }
            guard stat("\(directory)/\(Self.fileName)", &found) == 0 else {
                return !SystemErrors.isAbsence(errno)
            }
            return ours.st_dev == found.st_dev && ours.st_ino == found.st_ino
        }
    }

    private static func owner(in descriptor: CInt, _ disk: Disk) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = try? bytes.withUnsafeMutableBytes { buffer in
            try disk.read(descriptor, into: buffer, at: 0)
        }
        guard let count else { return nil }
        let digits = bytes[..<count].prefix { $0 != UInt8(ascii: "\n") }
        return Int32(String(decoding: digits, as: UTF8.self))
    }
}
