// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirPlayer

/// Plays a station, prints its titles and why a connection is lost, and returns when the player has stopped.
///
/// - Throws: `SourceError` for an address that cannot be used, `PlayerFailure` for a station that cannot be played.
func listen(to url: URL, in library: MediaLibrary) async throws {
    let station = try library.station(url)
    let player = Player()
    player.play(station)
    var title: String?
    var status: StationStatus?
    for await now in player.snapshots() {
        if now.title != title { print(now.artist ?? "–", "·", now.title ?? "–") }
        if now.station != status, let reason = now.station?.reason { print(reason) }
        (title, status) = (now.title, now.station)
        if now.state == .stopped { break }
    }
    await station.close()
    if let failure = player.snapshot.failure { throw failure }
}

/// Records a station for a while, with a file for each title, and prints the files.
///
/// - Parameters:
///   - station: a player may play it at the same time; player and recording share one connection.
///   - folder: the folder for the files; it is made if it does not exist.
///   - duration: the duration of the recording.
/// - Throws: `RecordingError` if the folder cannot be written to, `CancellationError`.
func record(_ station: Station, into folder: URL, for duration: Duration) async throws {
    let recording = try station.record(into: folder)
    try await Task.sleep(for: duration)
    await recording.stop()
    for await event in recording.events() {
        if case .ended(let file, _, let byteCount) = event { print(file.path, byteCount) }
    }
}
