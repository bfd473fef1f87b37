// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Sound that a station sends over and over: the bytes of a file, and their announced type.
public struct RadioFile: Sendable {
    /// The bytes, sent in a loop.
    public var content: ServedContent
    /// The value of `Content-Type`.
    public var mediaType: String

    /// Makes a file of bytes.
    ///
    /// - Parameters:
    ///   - content: the bytes, at least one.
    ///   - mediaType: the value of `Content-Type`.
    public init(_ content: ServedContent, mediaType: String = "audio/mpeg") {
        self.content = content
        self.mediaType = mediaType
    }

    /// A file on this machine's disk; the ending of its name decides its type.
    ///
    /// It is `nil` if there is no such file, or if the file is empty.
    ///
    /// - Parameter path: the path of the file, which is read while it is sent, and must not change.
    public init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0
        else { return nil }
        let file = DiskFile(path: path)
        let content = ServedContent(length: Int64(status.st_size)) { file.bytes(in: $0) }
        let type = ServedFile(content).mimeType(named: path)
        self.init(content, mediaType: type == "audio/x-flac" ? "audio/flac" : type)
    }

    /// The bytes from an offset on; the offset counts on through repetitions of the file.
    ///
    /// - Parameters:
    ///   - offset: from 0 on, also past the end.
    ///   - count: the most bytes to return.
    /// - Returns: at least one byte, unless the file can no longer be read.
    func bytes(at offset: Int64, upTo count: Int) -> [UInt8] {
        guard self.content.length > 0, offset >= 0, count > 0 else { return [] }
        let start = offset % self.content.length
        let end = min(self.content.length, start + Int64(count))
        return self.content.bytes(in: start..<end)
    }
}
