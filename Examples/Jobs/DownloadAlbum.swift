// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// Downloads an album, and tells how far it is; returns when each song is whole or has failed.
func download(_ album: [URL], token: String, of library: MediaLibrary) async throws {
    var songs: Set<Download.ID> = []
    for url in album {
        let song = library.media(url, headers: ["Authorization": "OAuth \(token)"])
        songs.insert(try await library.downloads.add(song))
    }
    for await downloads in library.downloads.snapshots() {
        let ours = downloads.filter { songs.contains($0.id) }
        for download in ours { print(download.display, download.state, download.fraction ?? 0) }
        if ours.allSatisfy(\.isOver) { return }
    }
}

/// Finds the media of downloads that an earlier run of the application has left.
func goOn(_ library: MediaLibrary, urls: [Download.ID: URL], token: String) {
    library.downloads.resolve { download in
        urls[download.id].map { library.media($0, headers: ["Authorization": "OAuth \(token)"]) }
    }
}
