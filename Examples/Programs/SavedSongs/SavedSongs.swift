// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

@main
enum SavedSongs {
    static func main() async throws {
        let library = try await MediaLibrary.open()
        let token = ProcessInfo.processInfo.environment["TOKEN"] ?? ""
        let me = library.account("me", headers: ["Authorization": "Bearer \(token)"])
        library.downloads.resolve {
            URL(dataRepresentation: $0.context, relativeTo: nil).map(me.media)
        }
        for url in CommandLine.arguments.dropFirst().compactMap(URL.init(string:)) {
            try await library.downloads.add(me.media(url), context: url.dataRepresentation)
        }
        for await downloads in library.downloads.snapshots() {
            for download in downloads { print(download.display, download.state) }
            if downloads.allSatisfy(\.isOver) { break }
        }
        await library.close()
    }
}
