// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// How what is heard is called.
struct PlayerTitle: Hashable, Sendable {
    var title: String?
    var artist: String?
    var album: String?

    init(title: String? = nil, artist: String? = nil, album: String? = nil) {
        self.title = title
        self.artist = artist
        self.album = album
    }

    /// What a tag says; `nil` if it says nothing of these.
    init?(_ tags: AudioTags) {
        self.init(title: tags.title, artist: tags.artist, album: tags.album)
        if self == PlayerTitle() { return nil }
    }

    /// What a station says; `nil` if it says nothing of a title.
    ///
    /// An empty one takes the last away.
    init?(_ metadata: ICYMetadata, station: String?) {
        guard let title = metadata.title else { return nil }
        self.init(title: title.isEmpty ? nil : title, artist: nil, album: station)
    }

    /// How many bytes of text it is.
    var byteCount: Int {
        [self.title, self.artist, self.album].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    }

    /// These, and what was said before where these say nothing.
    func over(_ earlier: PlayerTitle) -> PlayerTitle {
        PlayerTitle(
            title: self.title ?? earlier.title,
            artist: self.artist ?? earlier.artist,
            album: self.album ?? earlier.album
        )
    }
}
