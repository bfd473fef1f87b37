// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where long media were left, so that they go on from there.
///
/// A medium is known by a digest: neither its address nor a credential is in the book.
struct PositionBook: Hashable, Sendable {
    /// Where a medium was left.
    struct Entry: Hashable, Sendable, Codable {
        /// Seconds from its beginning.
        var position: Double
        /// When that was noted, in seconds since 1970.
        var noted: Int64
    }

    /// How long a medium must be to be remembered.
    static let shortest = Duration.seconds(600)
    /// How near to its end it counts as played.
    static let ending = Duration.seconds(30)
    /// How near to its beginning it counts as not begun.
    static let beginning = Duration.seconds(10)
    /// How many media are remembered; those noted longest ago are forgotten first.
    static let mostEntries = 500
    /// Nothing that is played is longer, in seconds.
    private static let longest: Double = 31 * 86_400

    /// The entries by digest.
    private(set) var entries: [String: Entry] = [:]

    /// An empty book.
    init() {}

    /// A book of entries that were read; those that make no sense are left out.
    init(_ entries: [String: Entry]) {
        self.entries = entries.filter { digest, entry in
            digest.utf8.count <= 64 && entry.position.isFinite
                && (0...Self.longest).contains(entry.position)
        }
        self.shorten()
    }

    /// Where a medium was left; `nil` if nobody knows.
    subscript(digest: String) -> Duration? {
        self.entries[digest].map { .milliseconds(Int64(($0.position * 1000).rounded())) }
    }

    /// Notes where a medium is.
    ///
    /// - Parameters:
    ///   - digest: which.
    ///   - position: where it is.
    ///   - duration: how long it is; `nil`: nobody knows, and nothing is noted.
    ///   - now: in seconds since 1970.
    mutating func note(_ digest: String, at position: Duration, of duration: Duration?, now: Int64)
    {
        guard let duration, duration >= Self.shortest else { return }
        guard position >= Self.beginning, position < duration - Self.ending else {
            self.entries[digest] = nil
            return
        }
        let seconds = (position / .milliseconds(1)).rounded() / 1000
        guard seconds <= Self.longest else { return }
        self.entries[digest] = Entry(position: seconds, noted: now)
        self.shorten()
    }

    private mutating func shorten() {
        let surplus = self.entries.count - Self.mostEntries
        guard surplus > 0 else { return }
        let oldest = self.entries.sorted {
            ($0.value.noted, $0.key) < ($1.value.noted, $1.key)
        }
        for (digest, _) in oldest.prefix(surplus) { self.entries[digest] = nil }
    }
}
