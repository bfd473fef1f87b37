// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the ending of a name says about a file.
struct MediaKind: Sendable {
    /// As in `Content-Type`.
    var mimeType: String
    /// The service's own word for the sort of it.
    var mediaType: String

    private static let types = [
        "aac": "audio/aac", "avi": "video/x-msvideo", "flac": "audio/x-flac", "gif": "image/gif",
        "jpg": "image/jpeg", "json": "application/json", "m4a": "audio/mp4", "m4v": "video/mp4",
        "mkv": "video/x-matroska", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "ogg": "audio/ogg", "opus": "audio/ogg", "pdf": "application/pdf",
        "png": "image/png", "txt": "text/plain", "wav": "audio/x-wav", "webm": "video/webm",
        "zip": "application/zip",
    ]

    /// The sort of a file.
    init(of file: ServedFile, named name: String) {
        let ending = name.split(separator: ".").last.map { $0.lowercased() } ?? ""
        self.mimeType = file.mediaType ?? Self.types[ending] ?? "application/octet-stream"
        self.mediaType =
            switch self.mimeType.prefix(while: { $0 != "/" }) {
            case "audio": "audio"
            case "video": "video"
            case "image": "image"
            case "text": "document"
            default: self.mimeType == "application/zip" ? "compressed" : "data"
            }
    }
}
