// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
package import WeirSource

/// A path of this machine: bytes, which need not be text.
package struct LocalPath: Hashable, Sendable {
    /// The bytes, as the system has them; none of them is zero.
    package let bytes: [UInt8]

    /// A path that text names; what stands behind a byte of zero is left out, as the system would.
    package init(_ text: String) { self.init(bytes: Array(text.utf8)) }

    /// A path of bytes.
    package init(bytes: [UInt8]) { self.bytes = Array(bytes.prefix { $0 != 0 }) }

    /// The path of something in a folder.
    ///
    /// - Parameters:
    ///   - folder: the folder; empty for the root.
    ///   - path: where it lies in the folder; a slash at its end is left out.
    package init(in folder: LocalPath, _ path: FolderPath) {
        var bytes = folder.bytes
        for name in path.componentBytes { bytes += [UInt8(ascii: "/")] + name }
        self.init(bytes: bytes.isEmpty ? [UInt8(ascii: "/")] : bytes)
    }

    /// The path with one name more.
    package func appending(_ name: [UInt8]) -> LocalPath {
        LocalPath(bytes: self.bytes + [UInt8(ascii: "/")] + name)
    }

    /// The last name; nothing for the root.
    package var lastName: [UInt8] {
        self.bytes.split(separator: UInt8(ascii: "/")).last.map(Array.init) ?? []
    }

    /// The folder that it lies in; empty for the root and for what lies in that.
    package var folder: LocalPath {
        let end = self.bytes.lastIndex(of: UInt8(ascii: "/")) ?? self.bytes.startIndex
        return LocalPath(bytes: Array(self.bytes[..<end]))
    }

    /// The path as people read it, with names as `FolderPath.name(ofBytes:)` writes them.
    package var text: String {
        let names = self.bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return names.map { FolderPath.name(ofBytes: $0) ?? String(decoding: $0, as: UTF8.self) }
            .joined(separator: "/")
    }

    /// Hands the path to the system.
    package func withCString<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        body(self.bytes.map { CChar(bitPattern: $0) } + [0])
    }
}
