// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the origin of a stream says of its format: a media type and the end of its name.
public struct AudioTypeHint: Hashable, Sendable {
    /// The media type in lower case, without parameters; `nil` if there is none, or it says nothing
    /// (`application/octet-stream`, `text/plain`).
    public let mediaType: String?
    /// The extension in lower case, without its dot; `nil` if there is none.
    public let fileExtension: String?

    /// A hint.
    ///
    /// - Parameters:
    ///   - mediaType: a `Content-Type`, with or without parameters.
    ///   - fileExtension: of the address or the file, with or without its dot.
    public init(mediaType: String? = nil, fileExtension: String? = nil) {
        let type = mediaType.map {
            Self.lowercased($0.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" })
        }
        let isSaying = type != "application/octet-stream" && type != "binary/octet-stream"
        self.mediaType = type.flatMap {
            isSaying && !$0.isEmpty && $0 != "text/plain" ? $0 : nil
        }
        let ending = fileExtension.map { Self.lowercased($0.filter { $0 != "." }) }
        self.fileExtension = ending.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// What the hint says the stream is, the media type before the extension; `nil` if nothing is known of either.
    public var container: AudioContainer? {
        self.mediaType.flatMap { AudioTypeNames.containers[$0] }
            ?? self.fileExtension.flatMap { AudioTypeNames.containersByExtension[$0] }
    }

    /// Which playlist the hint says it is; `nil` if none.
    public var playlist: Playlist.Kind? {
        self.mediaType.flatMap { AudioTypeNames.playlists[$0] }
            ?? self.fileExtension.flatMap { AudioTypeNames.playlistsByExtension[$0] }
    }

    private static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(AudioTags.lowercased), as: UTF8.self)
    }
}
