// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import Weir
import WeirSwiftUI

/// What the app starts with: a session, or the reason why there is none.
enum Start {
    case opening
    case ready(SessionModel)
    case failed(String)

    /// Opens the cache and the keychain; the main actor goes on meanwhile.
    @MainActor
    static func begin(clientIdentifier: String) async -> Start {
        do {
            var configuration = MediaLibrary.Configuration()
            // A device that is nearly full is the system's to empty; what it needs for itself stays free.
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
