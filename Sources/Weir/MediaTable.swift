// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirHTTP

/// The media of a library that somebody still holds, and those used last.
struct MediaTable {
    private struct Entry {
        weak var media: Media?
        var headers: HTTPHeaderList
    }

    /// How many media are kept though nobody else holds them.
    private static let recentCount = 64

    private var entries: [ResourceKey: Entry] = [:]
    private var recent: [Media] = []

    /// Every medium that is still there.
    var all: [Media] { self.entries.values.compactMap(\.media) }

    /// The medium of a key, if it is asked for with the same headers.
    func media(_ key: ResourceKey, headers: HTTPHeaderList) -> Media? {
        guard let entry = self.entries[key], entry.headers == headers else { return nil }
        return entry.media
    }

    /// Remembers a medium; forgets those that nobody holds.
    mutating func add(_ media: Media, _ key: ResourceKey, headers: HTTPHeaderList) {
        self.recent.append(media)
        if self.recent.count > MediaTable.recentCount { self.recent.removeFirst() }
        self.entries = self.entries.filter { $0.value.media != nil }
        self.entries[key] = Entry(media: media, headers: headers)
    }
}
