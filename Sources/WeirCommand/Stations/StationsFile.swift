// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirClouds
import WeirSource

/// The file of the user's stations: read whole, written whole and at once, for its owner only.
struct StationsFile: Sendable {
    /// No list is longer.
    private static let largestSize = 1 << 20

    /// Where it lies.
    let path: String

    /// The file in the configuration folder.
    init(_ environment: ProgramEnvironment) {
        self.path = "\(environment.configurationDirectory)/stations.toml"
    }

    /// Reads it; without a file it is empty.
    ///
    /// - Throws: ``CommandError`` with `usage`.
    func read() throws(CommandError) -> StationList {
        let handle = FileHandle(forReadingAtPath: self.path)
        guard let handle else {
            guard errno == ENOENT || errno == ENOTDIR else { throw self.unreadable }
            return try StationList(file: self.path, text: "")
        }
        defer { try? handle.close() }
        let data: Data
        do {
            data = try handle.read(upToCount: Self.largestSize + 1) ?? Data()
        } catch {
            throw self.unreadable
        }
        guard data.count <= Self.largestSize, !data.contains(0),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw CommandError.usage(
                "The stations in \(self.path) are no text in UTF-8 of less than 1 MiB; save the file as one, or remove it."
            )
        }
        return try StationList(file: self.path, text: text)
    }

    /// Reads, changes and writes it; two processes that change it wait for each other.
    ///
    /// - Throws: ``CommandError``; what `change` throws.
    func change(_ change: (StationList) throws(CommandError) -> String) throws(CommandError) {
        let lock: FileLock?
        do throws(SourceError) {
            try PrivateFile.makeDirectory((self.path as NSString).deletingLastPathComponent)
            lock = try FileLock("\(self.path).lock", waiting: true)
        } catch {
            throw self.unwritable
        }
        defer { lock?.release() }
        let text = try change(try self.read())
        do throws(SourceError) {
            try PrivateFile.replace(self.path, with: Array(text.utf8))
        } catch {
            throw self.unwritable
        }
    }

    private var unreadable: CommandError {
        CommandError.usage(
            "The stations in \(self.path) cannot be read (\(String(cString: strerror(errno)))); check its permissions."
        )
    }

    private var unwritable: CommandError {
        CommandError.failed(
            "The stations cannot be kept in \(self.path); make the folder writable, or set XDG_CONFIG_HOME to one that is."
        )
    }
}
