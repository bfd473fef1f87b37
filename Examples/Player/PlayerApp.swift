// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import PlayerModel
import SwiftUI
import Weir

/// Plays files of a Yandex.Disk, and keeps the played files.
@main
struct PlayerApp: App {
    /// The identifier of the application at Yandex: put your own here.
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
/// Explains that the player runs only on iOS and macOS.
@main
enum PlayerApp {
    static func main() {
        print("The player is an app for iOS and macOS; its models are tested here: swift test.")
    }
}
#endif
