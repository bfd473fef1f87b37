// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A path in a storage, from its root: `/Music/Album/01.mp3`, readable and not percent-encoded.
///
/// A path never leads upwards. A name is text without control characters; other bytes of a name are
/// written as `\xHH` (``name(ofBytes:)``). So every listed file can be named, shown on one line and
/// opened.
public struct FolderPath: Hashable, Sendable, CustomStringConvertible {
    /// The root.
    public static let root = FolderPath(components: [], isFolder: true)

    /// The names in the path, as text.
    public let components: [String]
    /// Whether a slash at the end says that the path is a folder.
    public let isFolder: Bool

    /// Reads a path as a listing shows it; a leading slash may be missing, several in a row count
    /// as one.
    ///
    /// - Parameter text: the path; `\x0A` in it stands for a line feed, as ``name(ofBytes:)`` says.
    /// - Throws: ``SourceError`` with `invalidRequest` for a `.` or `..`, for control characters
    ///   that are not escaped and for a zero byte.
    public init(_ text: String) throws(SourceError) {
        // Splits bytes: a slash with a combining mark is not a slash to a string, but it is one to
        // a file system.
        let components = text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard components.allSatisfy(Self.isName) else { throw Self.unusable }
        try self.init(
            names: components.map(EscapedName.bytes),
            isFolder: text.utf8.last == UInt8(ascii: "/")
        )
    }

    /// Reads a path of bytes as the storage has them, without escapes.
    ///
    /// - Parameter bytes: the path; a leading slash may be missing, several in a row count as one.
    /// - Throws: ``SourceError`` with `invalidRequest` for a `.` or `..` and for a zero byte.
    public init(bytes: some Collection<UInt8>) throws(SourceError) {
        let bytes = Array(bytes)
        try self.init(
            names: bytes.split(separator: UInt8(ascii: "/")).map(Array.init),
            isFolder: bytes.last == UInt8(ascii: "/")
        )
    }

    private init(names: [[UInt8]], isFolder: Bool) throws(SourceError) {
        let components = names.compactMap { Self.name(ofBytes: $0) }
        guard components.count == names.count else { throw Self.unusable }
        self.init(components: components, isFolder: components.isEmpty || isFolder)
    }

    private static var unusable: SourceError {
        SourceError(
            .invalidRequest,
            "A path holds '.', '..' or a control character between its slashes; give it as it is listed."
        )
    }

    /// Whether two paths have the same bytes; names that differ only in their normal form are
    /// different.
    public static func == (left: FolderPath, right: FolderPath) -> Bool {
        left.isFolder == right.isFolder
            && left.components.elementsEqual(right.components) {
                $0.utf8.elementsEqual($1.utf8)
            }
    }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.isFolder)
        for name in self.components { hasher.combine(Array(name.utf8)) }
    }

    /// Whether a text can be one name of a path: not empty, no `.` or `..`, no slash, no control
    /// character.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x2F
            }
    }

    /// The text of a name in a storage.
    ///
    /// `\xHH` stands for each byte of a control character or of a line separator, and for each byte
    /// that is not UTF-8. `HH` are two digits from `0` to `9` and `A` to `F`. A backslash stands
    /// for itself, unless it would begin an escape: then it is `\x5C`. So no two names have the
    /// same text.
    ///
    /// - Parameter bytes: the name.
    /// - Returns: `nil` if the bytes cannot be the name of a file: no bytes, `.`, `..`, or with a
    ///   slash or a zero byte.
    public static func name(ofBytes bytes: some Collection<UInt8>) -> String? {
        guard !bytes.contains(0) else { return nil }
        let text = EscapedName.text(of: bytes)
        return self.isName(text) ? text : nil
    }

    /// The bytes of a name, as the storage has them; the reverse of ``name(ofBytes:)``.
    ///
    /// - Parameter name: a name from a path or an entry.
    /// - Returns: the bytes; if the name has no escape, the bytes of the text.
    public static func bytes(ofName name: String) -> [UInt8] { EscapedName.bytes(of: name) }

    /// The bytes of the names in the path, as the storage has them.
    public var componentBytes: [[UInt8]] { self.components.map(EscapedName.bytes) }

    private init(components: [String], isFolder: Bool) {
        self.components = components
        self.isFolder = isFolder
    }

    /// The last name, as text; `nil` for the root.
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

    /// The same path, as a file.
    public var asFile: FolderPath { FolderPath(components: self.components, isFolder: false) }

    /// The same path, as a folder.
    public var asFolder: FolderPath { FolderPath(components: self.components, isFolder: true) }

    /// The path with a leading slash, and with one at the end of a folder; ``init(_:)`` reads it.
    public var description: String {
        guard !self.components.isEmpty else { return "/" }
        return "/\(self.components.joined(separator: "/"))\(self.isFolder ? "/" : "")"
    }
}
