// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// Downloads an album, and tells how far it is; returns when each song is whole or has failed.
func download(_ album: [URL], of me: MediaAccount, in library: MediaLibrary) async throws {
    var songs: Set<Download.ID> = []
    for url in album {
        songs.insert(try await library.downloads.add(me.media(url)))
    }
    for await downloads in library.downloads.snapshots() {
        let ours = downloads.filter { songs.contains($0.id) }
        for download in ours { print(download.display, download.state, download.fraction ?? 0) }
        if ours.allSatisfy(\.isOver) { return }
    }
}

/// Finds the media of downloads that an earlier run of the application has left.
func goOn(_ library: MediaLibrary, urls: [Download.ID: URL], of me: MediaAccount) {
    library.downloads.resolve { download in
        urls[download.id].map { me.media($0) }
    }
}
