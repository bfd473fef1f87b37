// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
public import Foundation

extension URL {
    /// The user's folder of caches: `$XDG_CACHE_HOME`, or `~/.cache`.
    ///
    /// Foundation has this on Apple platforms only, where it is the application's. If it comes to others, Foundation's
    /// own goes first.
    @_disfavoredOverload
    public static var cachesDirectory: URL {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? .temporaryDirectory
    }
}
#endif
