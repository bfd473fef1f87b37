// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHLS
import WeirHTTP

/// The texts of one playlist that this process knows: the current one, those before it, and those on their way to the
/// cache.
///
/// It decides which items stay the same when a text changes. A pure value; its times are seconds since 1970.
struct PlaylistTexts: Sendable {
    /// The place of a new text behind the texts before it, which its items depend on.
    struct Place: Hashable, Sendable {
        /// Increases with each text of the playlist in this process.
        let serial: Int
        /// The version of the segments, a part of their identities.
        let version: String
        /// Since when the items are those of this text; `nil` if only the cache can tell.
        let since: Int64?
    }

    /// How many former texts are kept.
    private static let formerCount = 3

    /// The text for players.
    private(set) var current: PlaylistEdition?
    /// The last texts before the current one: a player may still ask for their items
    /// (RFC 8216 §6.2.2).
    private var former: [PlaylistEdition] = []
    /// The last text that came from the origin, until it becomes the current one.
    private var received: PlaylistEdition?
    /// A complete text that came from the origin, until the cache has it.
    private var unsaved: PlaylistEdition?
    private var lastSerial = 0
    /// When the origin replaced the text that the cache held.
    private var replacedSince: Int64?
    /// The version of the segments of a complete text.
    private var version = ""
    /// How often the numbers of a live stream began again.
    private var restarts = 0
    /// Since when a growing playlist has begun with the same items.
    private var growingSince: Int64?

    /// Whether a complete text waits for the cache.
    var hasUnsaved: Bool { self.unsaved != nil }

    /// The text of a live stream that is known already: ``/WeirHLS/PlaylistMachine`` decides when it
    /// is too old.
    var live: PlaylistEdition? {
        (self.current ?? self.received).flatMap { $0.playlist.life == .complete ? nil : $0 }
    }

    /// The text with an item, the newest first.
    func edition(with id: PlaylistItemID) -> PlaylistEdition? {
        let all = [self.current].compactMap(\.self) + self.former.reversed()
        return all.first { $0.items[id] != nil }
    }

    // MARK: New texts

    /// Gives a new text its place behind the texts before it.
    mutating func place(for playlist: Playlist, at now: Int64) -> Place {
        self.lastSerial += 1
        self.noteStart(of: playlist, at: now)
        let restarts = self.restarts > 0 ? "restart \(self.restarts)" : ""
        return Place(
            serial: self.lastSerial,
            version: playlist.life == .complete ? self.version : restarts,
            since: playlist.life == .growing ? self.growingSince : nil
        )
    }

    /// Notes whether a text that changes is that of another broadcast than the last one.
    private mutating func noteStart(of playlist: Playlist, at now: Int64) {
        let last = self.current?.playlist
        switch playlist.life {
        case .complete: break
        case .live:
            if let last, last.life == .live, playlist.mediaSequence < last.mediaSequence {
                self.restarts += 1
            }
        case .growing:
            if let last, last.life == .growing, self.growingSince != nil,
                playlist.references.count >= last.references.count,
                zip(last.references, playlist.references).allSatisfy({ $0.uri == $1.uri })
            {
                return
            }
            // Bytes of the same second may be those of the former broadcast.
            self.growingSince = now + (last == nil ? 0 : 1)
        }
    }

    /// Notes a text that the origin sent.
    mutating func receive(_ edition: PlaylistEdition) { self.received = edition }

    /// Returns the text that the origin sent last, and forgets it.
    mutating func takeReceived() -> PlaylistEdition? { self.received.take() }

    /// Notes the version of the text in the cache.
    ///
    /// - Returns: that text, if it is in memory, with the addresses that are good now.
    mutating func found(_ stored: PlaylistMark.Text) -> PlaylistEdition? {
        self.version = stored.version
        return [self.received, self.current].compactMap(\.self).first {
            $0.digest == stored.digest && $0.version == stored.version
        }
    }

    /// Makes a text the current one.
    ///
    /// - Parameters:
    ///   - edition: the text.
    ///   - isReload: whether players go on with the items of the former text, under new addresses.
    /// - Returns: whether it differs from the former one.
    @discardableResult
    mutating func take(_ edition: PlaylistEdition, isReload: Bool = false) -> Bool {
        let last = self.current
        let isChanged = edition.digest != last?.digest
        if isChanged, let last, isReload || last.playlist.life == .live {
            self.former = Array((self.former + [last]).suffix(Self.formerCount))
        }
        self.current = edition
        if self.received?.serial == edition.serial { self.received = nil }
        return isChanged
    }

    /// Forgets the texts: the medium is no longer a playlist.
    mutating func forget() { (self.current, self.received) = (nil, nil) }

    // MARK: The cache

    /// Keeps a complete text until the cache has it.
    mutating func save(_ edition: PlaylistEdition) { self.unsaved = edition }

    /// Returns a complete text that the cache does not have yet, and forgets it.
    mutating func takeUnsaved() -> PlaylistEdition? { self.unsaved.take() }

    /// The segments of the next complete text are other resources than those of the text in the
    /// cache.
    mutating func replace(at now: Int64) {
        // Bytes of the same second may be those of the former text.
        (self.replacedSince, self.version) = (now + 1, "\(now + 1)")
    }

    /// The mark for the stored form of a text.
    func mark(of edition: PlaylistEdition, at now: Int64) -> PlaylistMark {
        guard edition.playlist.life == .complete else { return .live }
        return .complete(
            PlaylistMark.Text(
                digest: edition.digest,
                // A playlist that grew until its end had the same items all the time.
                since: self.replacedSince ?? self.growingSince ?? now,
                isReplacement: self.replacedSince != nil,
                tag: edition.originTag
            )
        )
    }
}
