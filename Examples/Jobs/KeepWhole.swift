// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Fetches what the listener has skipped, and copies the whole file out of the cache.
///
/// - Parameters:
///   - song: played before, or not.
///   - file: where the copy goes; replaced if it is there.
///   - library: where the song is from.
/// - Returns: how many bytes it has; `nil` if it is a song that no cache keeps.
/// - Throws: `SourceError` if the rest cannot be fetched, `CacheError` if it cannot be kept or copied.
func keepWhole(_ song: Media, as file: String, in library: MediaLibrary) async throws -> Int64? {
    for try await _ in try await song.read(.whole) {}
    guard let identifier = song.identifier else { return nil }
    try await library.pin(identifier: identifier)
    return try await library.export(identifier: identifier, to: file)
}
