// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// Fetches what the listener has skipped, and writes the whole file; it stays in the cache, too.
///
/// - Parameters:
///   - song: played before, or not.
///   - file: where the copy goes; replaced if it is there.
/// - Returns: how many bytes it has.
/// - Throws: `SourceError` if the rest cannot be fetched, `CacheError` if it cannot be kept or copied.
func keepWhole(_ song: Media, as file: URL) async throws -> Int64 {
    try await song.pin()
    return try await song.export(to: file)
}
