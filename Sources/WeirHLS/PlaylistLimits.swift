// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The bounds of the playlists that Weir reads.
package enum PlaylistLimits {
    /// The most bytes of a text: a list of 12 hours in segments of two seconds has about 2 MiB.
    package static let bytes = 8 << 20
    /// The most lines of a text.
    package static let lines = 200_000
    /// The most bytes of a line, without its end.
    package static let lineBytes = 16 << 10
}

/// The reason why a text cannot be read as a playlist.
package enum PlaylistError: Error, Hashable, Sendable {
    /// The text has more bytes than ``PlaylistLimits/bytes``.
    case tooLong
    /// The text has more lines than ``PlaylistLimits/lines``.
    case tooManyLines
    /// A line, counted from 1, has more bytes than ``PlaylistLimits/lineBytes``.
    case lineTooLong(Int)
    /// The text is not an HLS playlist: it does not begin with `#EXTM3U`, or no tag of HLS follows.
    case notHLS

    /// The reason as the end of a sentence about the playlist.
    package var reason: String {
        switch self {
        case .tooLong: "it is longer than \(PlaylistLimits.bytes >> 20) MiB"
        case .tooManyLines: "it has more than \(PlaylistLimits.lines) lines"
        case .lineTooLong(let line):
            "its line \(line) is longer than \(PlaylistLimits.lineBytes >> 10) KiB"
        case .notHLS: "it is not an HLS playlist"
        }
    }
}
