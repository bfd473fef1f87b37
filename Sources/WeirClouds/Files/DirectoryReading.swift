// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The names in a folder of this machine, as bytes: they need not be text.
enum DirectoryReading {
    /// All names but `.` and `..`, in no order; `nil` if the folder cannot be read.
    static func names(in folder: LocalPath) -> [[UInt8]]? {
        guard let directory = folder.withCString({ opendir($0) }) else { return nil }
        defer { closedir(directory) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(directory) else { return errno == 0 ? names : nil }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            if name != [0x2E], name != [0x2E, 0x2E] { names.append(name) }
        }
    }
}
