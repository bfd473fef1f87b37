// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
public import Foundation

extension URL {
    /// The user's folder of caches: `$XDG_CACHE_HOME`, or `~/.cache`.
    ///
    /// Foundation has this property on Apple platforms only; there it is the application's folder. If Foundation
    /// gets the property on other platforms, Foundation's own takes precedence.
    @_disfavoredOverload
    public static var cachesDirectory: URL {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
            ?? .temporaryDirectory
    }
}
#endif
