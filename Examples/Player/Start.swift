// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import Weir
import WeirSwiftUI

/// The state of the app's start: opening, a session, or the reason of a failure.
enum Start {
    case opening
    case ready(SessionModel)
    case failed(String)

    /// Opens the cache and the keychain; the main actor stays free.
    @MainActor
    static func begin(clientIdentifier: String) async -> Start {
        do {
            var configuration = MediaLibrary.Configuration()
            // Leaves 1 GiB of the disk free for the system.
            configuration.cacheLimits.reserve = 1 << 30
            let session = SessionModel(
                library: try await MediaLibrary.open(configuration: configuration),
                store: try KeychainTokenStore(service: "weir-player"),
                clientIdentifier: clientIdentifier
            )
            return .ready(session)
        } catch {
            return .failed(ErrorSentence.text(of: error) ?? "The app was ended while it started.")
        }
    }
}
#endif
