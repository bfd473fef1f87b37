// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Keeps the last used playlists of a library with their state, and finds them by their identifiers.
final class PlaylistShelf: Sendable {
    /// How many playlists are kept; a film has one, with those that it names.
    private static let count = 64

    private let lists = Mutex<[Media]>([])

    subscript(identifier: String) -> Media? {
        self.lists.withLock { lists in lists.last { $0.key?.identifier == identifier } }
    }

    /// Keeps a playlist as the last used one.
    func keep(_ media: Media) {
        self.lists.withLock { lists in
            if lists.last === media { return }
            lists.removeAll { $0 === media }
            lists.append(media)
            if lists.count > Self.count { lists.removeFirst() }
        }
    }

    func remove(_ media: Media) { self.lists.withLock { $0.removeAll { $0 === media } } }
}
