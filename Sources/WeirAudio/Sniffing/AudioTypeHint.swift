// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The format of a stream as its origin states it: a media type and an extension.
public struct AudioTypeHint: Hashable, Sendable {
    /// The media type in lower case, without parameters; `nil` without a type or for a generic one.
    ///
    /// The generic ones are `application/octet-stream`, `binary/octet-stream` and `text/plain`.
    public let mediaType: String?
    /// The extension in lower case, without its dot; `nil` if there is none.
    public let fileExtension: String?

    /// A hint.
    ///
    /// - Parameters:
    ///   - mediaType: a `Content-Type`, with or without parameters.
    ///   - fileExtension: the extension of the address or the file, with or without its dot.
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

    /// The container of the media type, else of the extension; `nil` if both are unknown.
    public var container: AudioContainer? {
        self.mediaType.flatMap { Self.containers[$0] }
            ?? self.fileExtension.flatMap { Self.containersByExtension[$0] }
    }

    /// The playlist kind that the hint names; `nil` if it names no playlist.
    public var playlist: Playlist.Kind? {
        self.mediaType.flatMap { Self.playlists[$0] }
            ?? self.fileExtension.flatMap { Self.playlistsByExtension[$0] }
    }

    private static func lowercased(_ text: some StringProtocol) -> String {
        String(decoding: text.utf8.map(AudioTags.lowercased), as: UTF8.self)
    }
}

/// The media types and extensions that name a format, with their usual aliases.
extension AudioTypeHint {
    /// Media types of streams.
    private static let containers: [String: AudioContainer] = Self.table([
        (
            .mpegAudio,
            "audio/mpeg audio/mp3 audio/mpeg3 audio/x-mp3 audio/x-mpeg audio/x-mpeg-3 audio/mpg"
        ),
        (.mpegAudio, "audio/mpa audio/mpa-robust audio/x-mpeg-audio audio/mp2 audio/x-mp2"),
        (
            .adts,
            "audio/aac audio/aacp audio/x-aac audio/x-aacp audio/vnd.dlna.adts audio/x-hx-aac-adts"
        ),
        (.loas, "audio/mp4a-latm audio/x-loas"),
        (
            .ogg,
            "application/ogg application/x-ogg audio/ogg audio/x-ogg audio/opus audio/vorbis audio/x-vorbis"
        ),
        (.ogg, "audio/x-vorbis+ogg audio/x-opus+ogg audio/x-flac+ogg audio/x-oggflac video/ogg"),
        (.flac, "audio/flac audio/x-flac application/flac application/x-flac"),
        (.wave, "audio/wav audio/x-wav audio/wave audio/vnd.wave audio/x-pn-wav"),
        (
            .mp4,
            "audio/mp4 audio/x-m4a audio/m4a audio/x-mp4 audio/m4b audio/x-m4b video/mp4 application/mp4"
        ),
        (
            .mp4,
            "video/quicktime audio/quicktime audio/3gpp audio/3gpp2 video/3gpp video/3gpp2 video/x-m4v"
        ),
    ])

    /// Extensions of streams.
    private static let containersByExtension: [String: AudioContainer] = Self.table([
        (.mpegAudio, "mp3 mp2 mp1 mpa mpga"),
        (.adts, "aac adts aacp"),
        (.loas, "loas latm"),
        (.ogg, "ogg oga ogx opus spx ogv"),
        (.flac, "flac fla"),
        (.wave, "wav wave rf64 bwf"),
        (.mp4, "m4a mp4 m4b m4p m4r m4v mov 3gp 3g2 3gpp 3gpp2 qt"),
    ])

    /// Media types of playlists.
    private static let playlists: [String: Playlist.Kind] = Self.table([
        (.m3u, "audio/x-mpegurl audio/mpegurl application/x-mpegurl application/mpegurl"),
        (
            .m3u,
            "application/vnd.apple.mpegurl application/vnd.apple.mpegurl.audio audio/m3u audio/x-m3u"
        ),
        (.pls, "audio/x-scpls audio/scpls application/pls application/pls+xml audio/pls"),
        (.xspf, "application/xspf+xml"),
        (.asx, "video/x-ms-asf-plugin video/x-ms-asx video/x-ms-wax audio/x-ms-wax video/x-ms-wvx"),
    ])

    /// Extensions of playlists.
    private static let playlistsByExtension: [String: Playlist.Kind] = Self.table([
        (.m3u, "m3u m3u8"),
        (.pls, "pls"),
        (.xspf, "xspf"),
        (.asx, "asx wax wvx"),
    ])

    private static func table<Value>(_ rows: [(Value, String)]) -> [String: Value] {
        var table: [String: Value] = [:]
        for (value, names) in rows {
            for name in names.split(separator: " ") { table[String(name)] = value }
        }
        return table
    }
}
