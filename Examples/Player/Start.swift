// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import Foundation
import PlayerModel
import Weir

/// What the app starts with: a session, or the reason why there is none.
enum Start {
    case ready(SessionModel)
    case failed(String)

    /// Opens the cache and the keychain.
    @MainActor
    static func begin(clientIdentifier: String) -> Start {
        do {
            let caches = try FileManager.default.url(
                for: .cachesDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            )
            var options = MediaLibrary.Configuration(
                directory: caches.appendingPathComponent("Weir").path
            )
            // A device that is nearly full is the system's to empty; what it needs for itself stays free.
            options.cacheLimits.reserve = 1 << 30
            let session = SessionModel(
                library: try MediaLibrary(options),
                store: try BoxedTokenStore(KeychainBox(service: "weir-player")),
                clientIdentifier: clientIdentifier
            )
            return .ready(session)
        } catch {
            return .failed(ErrorSentence.text(of: error) ?? "The app was ended while it started.")
        }
    }
}
#endif
