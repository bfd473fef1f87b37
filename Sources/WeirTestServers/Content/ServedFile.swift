// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A file on a test server: its bytes, and what the server says of them.
public struct ServedFile: Sendable {
    /// The bytes.
    public let content: ServedContent
    /// When it was last changed, in Unix seconds.
    public var modified: Double
    /// When it was made, in Unix seconds.
    public var created: Double
    /// What the server says it is; `nil` for what the ending of its name stands for.
    public var mediaType: String?
    private let digests: ContentDigests

    /// The time of files that are not given one: 10 July 2024, 16:02:35 UTC.
    public static let usualTime = 1_720_627_355.0

    /// Makes a file whose checksums are computed when they are first asked for.
    ///
    /// - Parameters:
    ///   - content: the bytes.
    ///   - modified: when it was last changed, in Unix seconds.
    ///   - mediaType: what the server says it is; `nil` for what the ending of its name stands for.
    public init(
        _ content: ServedContent,
        modified: Double = ServedFile.usualTime,
        mediaType: String? = nil
    ) {
        self.init(content, ContentDigests(of: content), modified, mediaType)
    }

    /// Makes a file whose checksums are given, for content that is too long to be read for them.
    ///
    /// - Parameters:
    ///   - content: the bytes.
    ///   - md5: 32 lowercase hexadecimal digits; they are part of every link and entity tag.
    ///   - sha256: 64 lowercase hexadecimal digits.
    ///   - modified: when it was last changed, in Unix seconds.
    ///   - mediaType: what the server says it is; `nil` for what the ending of its name stands for.
    public init(
        _ content: ServedContent,
        md5: String,
        sha256: String,
        modified: Double = ServedFile.usualTime,
        mediaType: String? = nil
    ) {
        let known = ContentDigests.Values(md5: md5, sha256: sha256)
        self.init(content, ContentDigests(of: content, known: known), modified, mediaType)
    }

    private init(
        _ content: ServedContent,
        _ digests: ContentDigests,
        _ modified: Double,
        _ mediaType: String?
    ) {
        self.content = content
        self.digests = digests
        self.modified = modified
        self.created = modified
        self.mediaType = mediaType
    }

    /// A file of bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> ServedFile { ServedFile(.bytes(bytes)) }

    /// A text in UTF-8.
    public static func text(_ text: String) -> ServedFile { ServedFile(.bytes(Array(text.utf8))) }

    /// A file of `PatternBytes` of WeirTestKit.
    public static func pattern(length: Int64, seed: UInt64 = 1) -> ServedFile {
        ServedFile(.pattern(length: length, seed: seed))
    }

    /// How many bytes it has.
    public var length: Int64 { self.content.length }

    /// The MD5 of the bytes, in lowercase hexadecimal digits.
    ///
    /// Reads all of them the first time.
    public var md5: String { self.digests.values.md5 }

    /// The SHA-256 of the bytes, in lowercase hexadecimal digits.
    ///
    /// Reads all of them the first time.
    public var sha256: String { self.digests.values.sha256 }

    /// The same file after somebody has written to it: as long, later, and no byte the same.
    public var changed: ServedFile {
        ServedFile(self.content.inverted, modified: self.modified + 1, mediaType: self.mediaType)
    }
}
