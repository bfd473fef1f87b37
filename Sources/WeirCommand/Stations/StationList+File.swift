// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirSource

/// The file of the user's stations, which is read whole, replaced atomically, and private to its
/// owner.
extension StationList {
    /// The largest size of a list.
    private static let largestSize = 1_000_000

    /// Reads the file in the configuration folder; without one the list is empty.
    ///
    /// - Throws: ``CommandError`` with `usage`.
    static func read(_ environment: ProgramEnvironment) throws(CommandError) -> StationList {
        let path = self.path(environment)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let error = errno
            guard error == ENOENT || error == ENOTDIR else { throw self.unreadable(path, error) }
            return try StationList(file: path, text: "")
        }
        defer { close(descriptor) }
        let data = try self.data(of: descriptor, path)
        guard data.count <= self.largestSize,
            let text = String(validating: data, as: UTF8.self)
        else {
            throw CommandError.usage(
                "The stations in \(path) are not UTF-8 text of less than 1 MB; save the file as such text, or remove"
                    + " it."
            )
        }
        return try StationList(file: path, text: text)
    }

    /// Reads, changes and writes the list, under a lock between processes.
    ///
    /// - Throws: ``CommandError``; the errors of `change`.
    static func change(
        _ environment: ProgramEnvironment,
        _ change: (StationList) throws(CommandError) -> String
    ) throws(CommandError) {
        let path = self.path(environment)
        let lock: FileLock?
        do throws(SourceError) {
            try PrivateFile.makeDirectory((path as NSString).deletingLastPathComponent)
            lock = try FileLock("\(path).lock", waiting: true)
        } catch {
            throw self.unwritable(path)
        }
        defer { lock?.release() }
        let text = try change(try self.read(environment))
        do throws(SourceError) {
            try PrivateFile.replace(path, with: Array(text.utf8))
        } catch {
            throw self.unwritable(path)
        }
    }

    /// The bytes of the file; reading stops soon after the largest size.
    private static func data(of descriptor: Int32, _ path: String) throws(CommandError) -> Data {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while data.count <= self.largestSize {
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else {
                let error = errno
                guard error == EINTR else { throw self.unreadable(path, error) }
                continue
            }
            guard count > 0 else { break }
            data += buffer[..<count]
        }
        return data
    }

    private static func path(_ environment: ProgramEnvironment) -> String {
        "\(environment.configurationDirectory)/stations.toml"
    }

    private static func unreadable(_ path: String, _ error: Int32) -> CommandError {
        CommandError.usage(
            "The stations in \(path) cannot be read (\(String(cString: strerror(error)))); check its permissions."
        )
    }

    private static func unwritable(_ path: String) -> CommandError {
        CommandError.failed(
            "The stations cannot be stored in \(path); make the folder writable, or set XDG_CONFIG_HOME to a writable"
                + " folder."
        )
    }
}
