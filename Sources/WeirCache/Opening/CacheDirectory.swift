// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The directory itself, before anything in it is looked at.
enum CacheDirectory {
    /// The absolute path of a directory, without slashes at its end.
    static func absolute(_ path: String) -> String {
        var absolute = path
        if !path.hasPrefix("/") {
            absolute = FileManager.default.currentDirectoryPath + "/" + path
        }
        while absolute.count > 1, absolute.hasSuffix("/") { absolute.removeLast() }
        return absolute
    }

    /// Makes the directory, and those above it, if they do not exist.
    ///
    /// - Throws: ``CacheError`` with `notADirectory`, `notWritable`, `full`, `io`.
    static func make(_ path: String, _ disk: Disk) throws(CacheError) {
        do throws(FileFailure) {
            try self.makeAll(path, disk)
        } catch {
            throw CacheError("open the cache directory", path: path, failure: error)
        }
    }

    /// Whether there is a directory.
    ///
    /// - Throws: ``CacheError`` with `notADirectory` if something else is there.
    static func exists(_ path: String, _ disk: Disk) throws(CacheError) -> Bool {
        do throws(FileFailure) {
            // The dot makes the system follow a link, and refuse a file.
            return try disk.status(of: path + "/.") != nil
        } catch {
            throw CacheError("open the cache directory", path: path, failure: error)
        }
    }

    private static func makeAll(_ path: String, _ disk: Disk) throws(FileFailure) {
        guard try disk.status(of: path + "/.") == nil else { return }
        let parent = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
        if !parent.isEmpty { try self.makeAll(parent, disk) }
        if try disk.createDirectory(path) {
            try disk.synchronizeDirectory(parent.isEmpty ? "/" : parent)
        }
    }
}
