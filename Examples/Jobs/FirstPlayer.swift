// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirPlayer

/// Plays a song that needs a token to its end, and prints the player's progress.
func hear(_ url: URL, token: String) async throws {
    let library = try await MediaLibrary.open()
    let song = library.media(url, headers: ["Authorization": "OAuth \(token)"])
    let player = Player()
    player.play(song)
    for await now in player.snapshots() {
        print(now.state, now.position, now.title ?? "")
        if now.state == .stopped { break }
    }
    if let failure = player.snapshot.failure { throw failure }
    await library.close()
}
