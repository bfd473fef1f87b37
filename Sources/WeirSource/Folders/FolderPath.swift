// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A path in a storage, from its root: `/Music/Album/01.mp3`, as people read it and nothing encoded.
///
/// A path never leads upwards, and holds no control character.
public struct FolderPath: Hashable, Sendable, CustomStringConvertible {
    /// The root.
    public static let root = FolderPath(components: [], isFolder: true)

    /// The names on the way.
    public let components: [String]
    /// Whether a slash at its end says that a folder is meant.
    public let isFolder: Bool

    /// Reads a path; a leading slash may be missing, several in a row count as one.
    ///
    /// - Throws: ``SourceError`` with `invalidRequest` for a `.` or `..` and for control characters.
    public init(_ text: String) throws(SourceError) {
        // By bytes: with a combining mark behind it a slash is no slash to a string, but one to a file system.
        let components = text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        for component in components {
            guard Self.isName(component) else {
                throw SourceError(
                    .invalidRequest,
                    "A path holds '.', '..' or a control character between its slashes; give it as it is listed."
                )
            }
        }
        self.components = components
        self.isFolder = components.isEmpty || text.utf8.last == UInt8(ascii: "/")
    }

    /// Whether a text can be one name of a path: not empty, no `.` or `..`, no slash, no control character.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x2F
            }
    }

    private init(components: [String], isFolder: Bool) {
        self.components = components
        self.isFolder = isFolder
    }

    /// The last name; `nil` for the root.
    public var name: String? { self.components.last }

    /// A path below this one.
    ///
    /// - Throws: as ``init(_:)``.
    public func appending(_ text: String) throws(SourceError) -> FolderPath {
        let below = try FolderPath(text)
        return FolderPath(
            components: self.components + below.components,
            isFolder: below.components.isEmpty ? self.isFolder : below.isFolder
        )
    }

    /// The same place, whether or not a folder is meant.
    public var asFile: FolderPath { FolderPath(components: self.components, isFolder: false) }

    /// The same place, meant as a folder.
    public var asFolder: FolderPath { FolderPath(components: self.components, isFolder: true) }

    /// With a leading slash, and one at the end if it is a folder.
    public var description: String {
        guard !self.components.isEmpty else { return "/" }
        return "/\(self.components.joined(separator: "/"))\(self.isFolder ? "/" : "")"
    }
}
