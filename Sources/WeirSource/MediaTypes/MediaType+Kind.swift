// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension MediaType {
    /// Whether the type says nothing about the bytes, so that content and name must tell.
    ///
    /// These are what servers send for files that they do not know, and what they send to make a
    /// browser save a file.
    public var isUninformative: Bool {
        Self.uninformative.contains(self.essence)
    }

    /// Whether the bytes are sound, video, or a playlist of them.
    public var isMedia: Bool {
        switch self.topLevel {
        case "audio", "video": true
        default: Self.mediaApplications.contains(self.canonical)
        }
    }

    /// Whether the bytes are a page for a browser: where media was expected, an error or a log-in.
    public var isHTML: Bool {
        self.canonical == .html
    }

    private static let uninformative: Set<String> = [
        "application/octet-stream", "binary/octet-stream", "application/binary",
        "application/x-binary", "application/octetstream", "application/x-octet-stream",
        "application/force-download", "application/x-force-download", "application/x-download",
        "application/download", "application/save", "application/unknown",
        "application/x-unknown", "application/x-unknown-content-type", "content/unknown",
        "unknown/unknown", "application/x-www-form-urlencoded", "multipart/form-data",
        "text/plain", "httpd/unix-directory",
    ]

    private static let mediaApplications: Set<MediaType> = [
        .ogg, .realMedia, .hlsPlaylist, .dashManifest, .xspfPlaylist,
    ]
}
