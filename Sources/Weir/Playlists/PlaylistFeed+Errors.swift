// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHLS
import WeirHTTP
import WeirSource

/// The errors about playlists.
extension PlaylistFeed {
    /// The resource is not a playlist, or no longer one.
    struct NotAPlaylist: Error {}

    var name: ResourceName { ResourceName(self.url) }

    var notNamed: SourceError {
        SourceError(
            .notFound,
            "\(self.url.display) does not name this item, or no longer does; open the playlist again.",
            host: self.url.authority
        )
    }

    func unavailable(for time: Duration) -> SourceError {
        let seconds = max(1, Int(time.components.seconds))
        var error = SourceError(
            .throttled,
            "\(self.url.display) is a live stream, and \(self.url.authority) has sent nothing new for too long; try again"
                + " in \(seconds) s.",
            host: self.url.authority
        )
        error.retryAfter = seconds
        return error
    }

    var tooDeep: SourceError {
        SourceError(
            .badAnswer,
            "\(self.name) is the fifth playlist in a chain of playlists, and Weir follows"
                + " \(PlaylistContext.mostLevels); ask the operator of \(self.name.authority) to correct it.",
            host: self.name.authority
        )
    }

    static func offline(_ resource: ResourceName) -> SourceError {
        SourceError(
            .offline,
            "\(resource) changes while it is played, and Weir asks no origin while it is offline; play it online."
        )
    }

    static func replaced(_ resource: ResourceName) -> SourceError {
        SourceError(.changed, "\(resource) is another playlist now; play it again.")
    }

    static func unreadable(_ resource: ResourceName, _ error: PlaylistError) -> SourceError {
        SourceError(
            .badAnswer,
            "\(resource) cannot be used as a playlist: \(error.reason); ask the operator of \(resource.authority).",
            host: resource.authority
        )
    }
}
