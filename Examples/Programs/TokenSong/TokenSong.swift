// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirProxy

/// Gives a song that wants a token an address that any player of this machine opens.
@main
enum TokenSong {
    @MainActor
    static func main() async throws {
        guard CommandLine.arguments.count == 2,
            let url = URL(string: CommandLine.arguments[1]),
            let token = ProcessInfo.processInfo.environment["TOKEN"]
        else {
            print("TOKEN=… TokenSong URL")
            exit(2)
        }
        let library = try MediaLibrary()
        let proxy = try await MediaProxy.start()
        do {
            let me = library.account("me", headers: ["Authorization": "Bearer \(token)"])
            let song = me.media(url)
            // Asks the origin, unless the song is held: a wrong token is an error before a player starts.
            let about = try await song.describe()
            print(about.name ?? song.display, about.mediaType?.essence ?? "", about.length ?? 0)
            print(try await proxy.publish(song))
            print("Return ends it")
            _ = readLine()
        } catch {
            print(error.localizedDescription)
        }
        await proxy.close()
        await library.close()
    }
}
