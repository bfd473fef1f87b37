// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirSource

/// The file of the user's stations: read whole, written whole and at once, for its owner only.
extension StationList {
    /// No list is longer.
    private static let largestSize = 1_000_000

    /// Reads the file in the configuration folder; without one the list is empty.
    ///
    /// - Throws: ``CommandError`` with `usage`.
    static func read(_ environment: ProgramEnvironment) throws(CommandError) -> StationList {
        let path = self.path(environment)
        guard let handle = FileHandle(forReadingAtPath: path) else {
            guard errno == ENOENT || errno == ENOTDIR else { throw self.unreadable(path) }
            return try StationList(file: path, text: "")
        }
        defer { try? handle.close() }
        let data: Data
        do {
            data = try handle.read(upToCount: self.largestSize + 1) ?? Data()
        } catch {
            throw self.unreadable(path)
        }
        guard data.count <= self.largestSize, !data.contains(0),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw CommandError.usage(
                "The stations in \(path) are no text in UTF-8 of less than 1 MB; save the file as one, or remove it."
            )
        }
        return try StationList(file: path, text: text)
    }

    /// Reads, changes and writes it; two processes that change it wait for each other.
    ///
    /// - Throws: ``CommandError``; what `change` throws.
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

    private static func path(_ environment: ProgramEnvironment) -> String {
        "\(environment.configurationDirectory)/stations.toml"
    }

    private static func unreadable(_ path: String) -> CommandError {
        CommandError.usage(
            "The stations in \(path) cannot be read (\(String(cString: strerror(errno)))); check its permissions."
        )
    }

    private static func unwritable(_ path: String) -> CommandError {
        CommandError.failed(
            "The stations cannot be kept in \(path); make the folder writable, or set XDG_CONFIG_HOME to one that is."
        )
    }
}
