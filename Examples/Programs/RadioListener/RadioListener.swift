// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirPlayer

/// Plays a station until it is given up or Ctrl-C ends the program; prints states, titles and why it is silent.
@main
enum RadioListener {
    static func main() async throws {
        guard CommandLine.arguments.count == 2, let url = URL(string: CommandLine.arguments[1])
        else {
            print("RadioListener URL")
            exit(2)
        }
        let library = try MediaLibrary()
        do {
            let station = try library.station(url)
            let player = Player()
            player.play(station)
            var shown = ""
            for await now in player.snapshots() {
                let title = [now.artist, now.title].compactMap(\.self).joined(separator: " · ")
                let line = "\(now.state) \(title) \(now.station?.reason?.message ?? "")"
                if line != shown { print(line) }
                shown = line
                if now.state == .stopped { break }
            }
            await station.close()
            if let failure = player.snapshot.failure { throw failure }
        } catch {
            print(error.localizedDescription)
        }
        await library.close()
    }
}
