// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirSource

extension FeedOutcome.Verdict {
    /// Reads a playlist: its entries in their order, or why there are none.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - kind: how it is written, if that is known.
    ///   - display: what sent it, for sentences.
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
    /// An HLS playlist came.
    static func segmentedPlaylist(from display: String) -> StationFailure {
        StationFailure(
            .notAudio,
            "\(display) sent an HLS playlist, which Weir does not play; look for an address of the stream itself.",
            isFinal: true
        )
    }

    /// Something came that calls itself a playlist.
    static func unreadablePlaylist(from display: String) -> StationFailure {
        StationFailure(
            .notAudio,
            "\(display) sent a playlist that cannot be read, or one larger than 1 MiB; it is asked again."
        )
    }
}

/// Which addresses are tried in turn: the station's own, then what its playlist lists.
struct PlaylistRoute: Hashable, Sendable {
    /// How many entries of playlists are tried in one pass, whatever they list: there is no wait between two of them.
    static let limit = 32

    private struct Stop: Hashable, Sendable {
        var location: String
        /// How many playlists stand between the station and it.
        var depth: Int
    }

    private var current: Stop?
    private var waiting: [Stop] = []
    /// How many entries were taken in this pass.
    private var count = 0
    /// Whether all that was tried in this pass was refused.
    private(set) var isRefused = true
    /// Whether nothing that was tried in this pass can ever be played.
    private(set) var isHopeless = true

    /// Where to connect now.
    var target: StationTarget { self.current.map { .entry($0.location) } ?? .station }

    /// What is tried now turned out to be a playlist: its entries are next, before those that wait.
    ///
    /// - Parameters:
    ///   - entries: what it lists.
    ///   - depth: how deep playlists may name playlists.
    /// - Returns: whether there is something to try; if not, the route is as it was.
    mutating func enter(_ entries: [String], depth: Int) -> Bool {
        let here = (self.current?.depth ?? 0) + 1
        guard here <= depth, self.count < Self.limit, !entries.isEmpty else { return false }
        let stops = entries.prefix(Self.limit).map { Stop(location: $0, depth: here) }
        self.waiting = Array((stops + self.waiting).prefix(Self.limit))
        self.advance()
        return true
    }

    /// What is tried now brought no sound.
    ///
    /// - Parameters:
    ///   - isRefusal: whether it was refused.
    ///   - isFinal: whether it can never be played, which is as good as refused.
    /// - Returns: whether there is another to try at once.
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
