// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// Makes addresses of the bytes of a playlist.
enum PlaylistReading {
    /// Reads a playlist.
    ///
    /// - Parameters:
    ///   - bytes: all of it.
    ///   - kind: how it is written, if that is known.
    ///   - display: who sent it, for sentences.
    /// - Returns: its entries in their order, or why there are none.
    static func verdict(
        of bytes: ByteMemory,
        kind: Playlist.Kind?,
        from display: String
    ) -> FeedOutcome.Verdict {
        do throws(AudioStreamError) {
            let playlist = try Playlist(bytes, kind: kind)
            return .playlist(playlist.entries.map(\.location).filter { !$0.isEmpty })
        } catch {
            if error.code == .unsupported { return .failure(Self.segmented(display)) }
            return .failure(Self.unreadable(display))
        }
    }

    /// What is said of HLS.
    static func segmented(_ display: String) -> StationFailure {
        StationFailure(
            .notAudio,
            "\(display) sent an HLS playlist, which Weir does not play; look for an address of the stream itself.",
            isFinal: true
        )
    }

    /// What is said of something that calls itself a playlist.
    static func unreadable(_ display: String) -> StationFailure {
        StationFailure(
            .notAudio,
            "\(display) sent a playlist that cannot be read, or one larger than 1 MiB; it is asked again."
        )
    }
}
