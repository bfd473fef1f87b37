// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI
import Weir

/// Plays what is on a Yandex.Disk, and keeps what was played.
@main
struct PlayerApp: App {
    /// The application as it is registered at Yandex: put your own here.
    private static let clientIdentifier = "0123456789abcdef"

    @State private var start = Start.opening

    var body: some Scene {
        WindowGroup {
            switch self.start {
            case .opening:
                ProgressView().task {
                    self.start = await Start.begin(clientIdentifier: Self.clientIdentifier)
                }
            case .ready(let session): RootView(session: session)
            case .failed(let sentence): FailureView(sentence: sentence)
            }
        }
    }
}
#else
/// Says why there is nothing to see.
@main
enum PlayerApp {
    static func main() {
        print("The player is an app for iOS and macOS; its models are tested here: swift test.")
    }
}
#endif
