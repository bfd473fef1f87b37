// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

extension FeedOutcome.Verdict {
    /// Reads a playlist: its entries in their order, or the reason why it has no usable entries.
    ///
    /// - Parameters:
    ///   - bytes: the whole playlist.
    ///   - kind: the playlist's format, if it is known.
    ///   - display: the name of the sender, for messages.
    init(playlist bytes: ByteMemory, kind: Playlist.Kind?, from display: String) {
        do throws(AudioStreamError) {
            let playlist = try Playlist(bytes, kind: kind)
            self = .playlist(playlist.entries.map(\.location).filter { !$0.isEmpty })
        } catch {
            let failure: StationFailure =
                switch error.code {
                case .unsupported: .segmentedPlaylist(from: display)
                case .notAudio: StationFailure(.notAudio, "\(display): \(error.reason).")
                default: .unreadablePlaylist(from: display)
                }
            self = .failure(failure)
        }
    }
}

extension StationFailure {
    /// The server sent an HLS playlist.
    static func segmentedPlaylist(from display: String) -> StationFailure {
        StationFailure(
            .notAudio,
            "\(display) sent an HLS playlist, which Weir does not play; use an address of the stream itself.",
            isFinal: true
        )
    }

    /// The server sent a playlist that cannot be read, or one that is too large.
    static func unreadablePlaylist(from display: String) -> StationFailure {
        StationFailure(
            .notAudio,
            "\(display) sent a playlist that cannot be read, or one larger than 1 MiB; Weir connects again."
        )
    }
}

/// The addresses to try in turn: the station's own, then the entries of its playlist.
struct PlaylistRoute: Hashable, Sendable {
    /// How many playlist entries one pass tries at most, because it does not wait between two
    /// entries.
    static let limit = 32

    private struct Stop: Hashable, Sendable {
        var location: String
        /// How many playlists are between the station and this stop.
        var depth: Int
    }

    private var current: Stop?
    private var waiting: [Stop] = []
    /// How many entries this pass has tried.
    private var count = 0
    /// Whether every address in this pass was refused.
    private(set) var isRefused = true
    /// Whether no address in this pass can ever be played.
    private(set) var isHopeless = true

    /// The address to connect to now.
    var target: StationTarget { self.current.map { .entry($0.location) } ?? .station }

    /// The current address is a playlist: the route tries its entries next, before the waiting
    /// ones.
    ///
    /// - Parameters:
    ///   - entries: the playlist's entries.
    ///   - depth: how deep playlists may name playlists.
    /// - Returns: whether there is an entry to try; if not, the route does not change.
    mutating func enter(_ entries: [String], depth: Int) -> Bool {
        let here = (self.current?.depth ?? 0) + 1
        guard here <= depth, self.count < Self.limit, !entries.isEmpty else { return false }
        let stops = entries.prefix(Self.limit).map { Stop(location: $0, depth: here) }
        self.waiting = Array((stops + self.waiting).prefix(Self.limit))
        self.advance()
        return true
    }

    /// The current address brought no sound.
    ///
    /// - Parameters:
    ///   - isRefusal: whether the server refused.
    ///   - isFinal: whether the address can never be played, which counts as a refusal.
    /// - Returns: whether there is another address to try at once.
    mutating func failed(isRefusal: Bool, isFinal: Bool) -> Bool {
        self.isRefused = self.isRefused && (isRefusal || isFinal)
        self.isHopeless = self.isHopeless && isFinal
        guard !self.waiting.isEmpty, self.count < Self.limit else { return false }
        self.advance()
        return true
    }

    /// Begins again with the station's own address.
    mutating func restart() {
        self = PlaylistRoute()
    }

    private mutating func advance() {
        self.current = self.waiting.removeFirst()
        self.count += 1
    }
}
