// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Fetches what the listener has skipped, and copies the whole file out of the cache.
///
/// - Parameters:
///   - song: played before, or not.
///   - file: where the copy goes; replaced if it is there.
///   - library: where the song is from.
/// - Returns: how many bytes it has; `nil` if the cache does not hold it.
/// - Throws: `SourceError` if the rest cannot be fetched, `CacheError` if it cannot be kept or copied.
func keepWhole(_ song: Media, as file: String, in library: MediaLibrary) async throws -> Int64? {
    for try await _ in try await song.read(.whole) {}
    let resources = try await library.resources()
    guard let kept = resources.first(where: { $0.display == song.display }) else { return nil }
    try await library.pin(identifier: kept.identifier)
    return try await library.export(identifier: kept.identifier, to: file)
}
