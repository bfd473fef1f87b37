// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// A playlist, as it is printed.
struct PlaylistLine: Encodable {
    struct Entry: Encodable {
        var location: String
        var title: String?
        var seconds: Int?
    }

    var kind: String
    var entries: [Entry]

    init(_ playlist: WeirAudio.Playlist) {
        self.kind = playlist.kind.rawValue
        self.entries = playlist.entries.map {
            Entry(location: $0.location, title: $0.title, seconds: $0.seconds)
        }
    }
}
