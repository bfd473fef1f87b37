// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// Reads parts of a song, as after a seek, then fetches the rest and writes the whole file.
@main
enum KeptSong {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1])
        else {
            print("KeptSong URL FILE")
            exit(2)
        }
        let file = URL(filePath: CommandLine.arguments[2])
        let library = try MediaLibrary()
        do {
            let song = library.media(url)
            let length = try await song.describe().length ?? 0
            for part in [0..<(length / 4), (length / 2)..<(length / 4 * 3)] {
                for try await _ in try await song.read(.span(part)) {}
            }
            print("held", song.availability.held.ranges, "of", length)
            try await song.pin()
            print("written", try await song.export(to: file))
            print("held", song.availability.held.ranges)
        } catch {
            print(error.localizedDescription)
        }
        await library.close()
    }
}
