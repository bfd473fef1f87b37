// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A path in a storage, from its root: `/Music/Album/01.mp3`, as people read it and nothing percent-encoded.
///
/// A path never leads upwards. A name is text without control characters; the bytes of a name that are no such text stand
/// in it as `\xHH` (``name(ofBytes:)``), so that every file that is listed can be named, shown on one line and opened.
public struct FolderPath: Hashable, Sendable, CustomStringConvertible {
    /// The root.
    public static let root = FolderPath(components: [], isFolder: true)

    /// The names on the way, as text.
    public let components: [String]
    /// Whether a slash at its end says that a folder is meant.
    public let isFolder: Bool

    /// Reads a path as it is listed; a leading slash may be missing, several in a row count as one.
    ///
    /// - Parameter text: the path; `\x0A` in it stands for a line feed, as ``name(ofBytes:)`` says.
    /// - Throws: ``SourceError`` with `invalidRequest` for a `.` or `..`, for control characters that are not escaped and
    ///   for a byte of zero.
    public init(_ text: String) throws(SourceError) {
        // By bytes: with a combining mark behind it a slash is no slash to a string, but one to a file system.
        let components = text.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        guard components.allSatisfy(Self.isName) else { throw Self.unusable }
        try self.init(
            names: components.map(EscapedName.bytes),
            isFolder: text.utf8.last == UInt8(ascii: "/")
        )
    }

    /// Reads a path of bytes as the storage has them: nothing in it stands for anything else.
    ///
    /// - Parameter bytes: the path; a leading slash may be missing, several in a row count as one.
    /// - Throws: ``SourceError`` with `invalidRequest` for a `.` or `..` and for a byte of zero.
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

    /// Whether two paths are the same, by their bytes: names that differ in their normal form alone are two.
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

    /// Whether a text can be one name of a path: not empty, no `.` or `..`, no slash, no control character.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && text != "." && text != ".."
            && text.unicodeScalars.allSatisfy {
                $0.value >= 0x20 && $0.value != 0x7F && $0.value != 0x2F
            }
    }

    /// The text of a name that a storage has: `\xHH`, with two digits from `0` to `9` and `A` to `F`, stands for each byte
    /// of a control character, of a separator of lines and of what is not UTF-8.
    ///
    /// A backslash is one, unless it would begin such an escape: then it is `\x5C`. So no two names have the same text.
    ///
    /// - Parameter bytes: the name.
    /// - Returns: `nil` for what can be no name of a file: nothing, `.`, `..`, and what holds a slash or a byte of zero.
    public static func name(ofBytes bytes: some Collection<UInt8>) -> String? {
        guard !bytes.contains(0) else { return nil }
        let text = EscapedName.text(of: bytes)
        return self.isName(text) ? text : nil
    }

    /// The bytes of a name, as the storage has them: the way back from ``name(ofBytes:)``.
    ///
    /// - Parameter name: as a path or an entry has it.
    /// - Returns: the bytes; those of the text where nothing in it is escaped.
    public static func bytes(ofName name: String) -> [UInt8] { EscapedName.bytes(of: name) }

    /// The bytes of the names on the way, as the storage has them.
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

    /// The same place, whether or not a folder is meant.
    public var asFile: FolderPath { FolderPath(components: self.components, isFolder: false) }

    /// The same place, meant as a folder.
    public var asFolder: FolderPath { FolderPath(components: self.components, isFolder: true) }

    /// With a leading slash, and one at the end if it is a folder; as ``init(_:)`` reads it.
    public var description: String {
        guard !self.components.isEmpty else { return "/" }
        return "/\(self.components.joined(separator: "/"))\(self.isFolder ? "/" : "")"
    }
}
