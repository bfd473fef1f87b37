// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// What the name of a file or of a URL's path promises.
enum AudioName: Hashable, Sendable {
    /// A file with sound in it.
    case audio
    /// A list of what to play.
    case playlist
    /// A place with more in it: the name ends with a slash.
    case folder
    /// Nothing that is known.
    case unknown

    /// What a path promises, by its end.
    init(path: String) {
        guard path.utf8.last != UInt8(ascii: "/") else {
            self = .folder
            return
        }
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count > 1, let end = parts.last.map(String.init) else {
            self = .unknown
            return
        }
        // Microsoft's lists have no media type that is theirs alone.
        self =
            ["asx", "wax", "wvx"].contains(end.lowercased())
            ? .playlist : Self.kind(of: MediaType(fileExtension: end))
    }

    /// What an entry of a folder promises: by its name, or else by the type that its storage tells.
    init(_ entry: FolderEntry) {
        guard entry.kind == .file else {
            self = .folder
            return
        }
        let byName = AudioName(path: entry.name)
        self = byName == .unknown ? Self.kind(of: entry.mediaType) : byName
    }

    /// What a media type is to a player.
    static func kind(of type: MediaType?) -> AudioName {
        guard let type else { return .unknown }
        if Self.playlists.contains(type.canonical) { return .playlist }
        // The sound of a film is sound.
        let isSound = type.topLevel == "audio" || type.topLevel == "video" || type.canonical == .ogg
        return isSound ? .audio : .unknown
    }

    private static let playlists: Set<MediaType> = [
        .m3uPlaylist, .plsPlaylist, .xspfPlaylist, .hlsPlaylist,
    ]
}
