// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// Bytes that a test server can serve, from memory, a file or a closure.
public struct ServedContent: Sendable {
    /// How many bytes there are.
    public let length: Int64
    private let read: @Sendable (Range<Int64>) -> [UInt8]

    /// Makes content from a closure, which is called for at most 1 MiB at a time.
    ///
    /// - Parameters:
    ///   - length: how many bytes there are, from 0 on.
    ///   - read: returns the bytes of a range within the length; fewer if the bytes can no longer
    ///     be read. Called on any thread, for the same range any number of times.
    public init(length: Int64, read: @escaping @Sendable (Range<Int64>) -> [UInt8]) {
        self.length = max(0, length)
        self.read = read
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: [UInt8]) -> ServedContent {
        ServedContent(length: Int64(bytes.count)) {
            Array(bytes[Int($0.lowerBound)..<Int($0.upperBound)])
        }
    }

    /// Bytes of `PatternBytes` of WeirTestKit, which take no memory.
    public static func pattern(length: Int64, seed: UInt64 = 1) -> ServedContent {
        ServedContent(length: length) { PatternBytes.bytes(in: $0, seed: seed) }
    }

    /// The bytes of a range, cut at the end of the content.
    public func bytes(in range: Range<Int64>) -> [UInt8] {
        let range = range.clamped(to: 0..<self.length)
        return range.isEmpty ? [] : self.read(range)
    }

    /// Content of the same length that differs from this one in every byte.
    var inverted: ServedContent {
        ServedContent(length: self.length) { self.bytes(in: $0).map { ~$0 } }
    }
}

/// A file on a test server: its bytes, and the server's statements about them.
public struct ServedFile: Sendable {
    /// The bytes.
    public let content: ServedContent
    /// When it was last changed, in Unix seconds.
    public var modified: Double
    /// When it was made, in Unix seconds.
    public var created: Double
    /// The media type that the server sends; `nil`: the type that belongs to the ending of its
    /// name.
    public var mediaType: String?
    /// The revision: the time of the last change in microseconds, or more, so that revisions on a
    /// disk count up.
    var revision: Int64 = 0
    private let digests: ContentDigests

    /// The time of files without a given time: 10 July 2024, 16:02:35 UTC.
    public static let usualTime = 1_720_627_355.0

    /// Makes a file; its checksums are computed when they are first asked for.
    ///
    /// - Parameters:
    ///   - content: the bytes.
    ///   - modified: when it was last changed, in Unix seconds.
    ///   - mediaType: the media type that the server sends; `nil`: the type that belongs to the
    ///     ending of its name.
    public init(
        _ content: ServedContent,
        modified: Double = ServedFile.usualTime,
        mediaType: String? = nil
    ) {
        self.init(content, ContentDigests(of: content), modified, mediaType)
    }

    /// Makes a file with given checksums, for content that is too long to be read for them.
    ///
    /// - Parameters:
    ///   - content: the bytes.
    ///   - md5: 32 lowercase hexadecimal digits; they are part of every link and entity tag.
    ///   - sha256: 64 lowercase hexadecimal digits.
    ///   - modified: when it was last changed, in Unix seconds.
    ///   - mediaType: the media type that the server sends; `nil`: the type that belongs to the
    ///     ending of its name.
    public init(
        _ content: ServedContent,
        md5: String,
        sha256: String,
        modified: Double = ServedFile.usualTime,
        mediaType: String? = nil
    ) {
        self.init(content, ContentDigests(of: content, known: (md5, sha256)), modified, mediaType)
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

    /// The file after a change: with the same length, a later time, and every byte different.
    public var changed: ServedFile {
        ServedFile(self.content.inverted, modified: self.modified + 1, mediaType: self.mediaType)
    }
}

extension ServedFile {
    private static let types = [
        "aac": "audio/aac", "avi": "video/x-msvideo", "flac": "audio/x-flac", "gif": "image/gif",
        "jpg": "image/jpeg", "json": "application/json", "m4a": "audio/mp4", "m4v": "video/mp4",
        "mkv": "video/x-matroska", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "ogg": "audio/ogg", "opus": "audio/ogg", "pdf": "application/pdf",
        "png": "image/png", "txt": "text/plain", "wav": "audio/x-wav", "webm": "video/webm",
        "zip": "application/zip",
    ]

    /// The `Content-Type` of the file under a name: ``mediaType``, or the type of the name's
    /// ending.
    func mimeType(named name: String) -> String {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        return self.mediaType ?? Self.types[ending] ?? "application/octet-stream"
    }

    /// The service's own category for files of a `Content-Type`.
    static func category(of mimeType: String) -> String {
        switch mimeType.prefix(while: { $0 != "/" }) {
        case "audio": "audio"
        case "video": "video"
        case "image": "image"
        case "text": "document"
        default: mimeType == "application/zip" ? "compressed" : "data"
        }
    }
}
