// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// A path of this machine as bytes, which need not be valid UTF-8.
package struct LocalPath: Hashable, Sendable {
    /// The bytes, in the form of the system; none of them is zero.
    package let bytes: [UInt8]

    /// Creates a path from text; the path ends before a zero byte, as in a system call.
    package init(_ text: String) { self.init(bytes: Array(text.utf8)) }

    /// Creates a path from bytes.
    package init(bytes: [UInt8]) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

    /// Creates the path of an entry in a folder.
    ///
    /// - Parameters:
    ///   - folder: the folder; empty for the root.
    ///   - path: its path in the folder; a slash at its end is left out.
    package init(in folder: LocalPath, _ path: FolderPath) {
        var bytes = folder.bytes
        for name in path.componentBytes { bytes += [UInt8(ascii: "/")] + name }
        self.init(bytes: bytes.isEmpty ? [UInt8(ascii: "/")] : bytes)
    }

    /// The path with a name appended.
    package func appending(_ name: [UInt8]) -> LocalPath {
        LocalPath(bytes: self.bytes + [UInt8(ascii: "/")] + name)
    }

    /// The last name; empty for the root.
    package var lastName: [UInt8] {
        self.bytes.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    }

    /// The folder that contains the path; empty for the root and for the root's entries.
    package var folder: LocalPath {
        let end = self.bytes.lastIndex(of: UInt8(ascii: "/")) ?? self.bytes.startIndex
        return LocalPath(bytes: Array(self.bytes[..<end]))
    }

    /// The path in readable form, with names in the form of `FolderPath.name(ofBytes:)`.
    package var text: String {
        let names = self.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return names.map { FolderPath.name(ofBytes: $0) ?? String(decoding: $0, as: UTF8.self) }
            .joined(separator: "/")
    }

    /// Passes the path to a system call.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        body(self.bytes.map { CChar(bitPattern: $0) } + [0])
    }
}
