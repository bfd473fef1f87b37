// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What can be done with what a cache holds, beside playing it.
enum CacheCommand: Codable, Hashable, Sendable {
    case list
    case remove(String)
    case removeAll
    case pin(String, Bool)
    case verify(String)
    case export(String, path: String)
}
