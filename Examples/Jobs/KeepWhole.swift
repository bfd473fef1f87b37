// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// Fetches the parts that the listener has skipped, and writes the whole file; the song stays in the cache, too.
///
/// - Parameters:
///   - song: a song, whether the listener has played it or not.
///   - file: the place of the copy; an existing file is replaced.
/// - Returns: the size of the copy in bytes.
/// - Throws: `SourceError` if the rest cannot be fetched, `CacheError` if it cannot be kept or copied.
func keepWhole(_ song: Media, as file: URL) async throws -> Int64 {
    try await song.pin()
    return try await song.export(to: file)
}
