// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir

/// Runs one job.
///
/// The name of the job and its URL or path are arguments; the secret is in the environment.
@main
enum Program {
    static let usage = """
        TOKEN=… Jobs header URL      a song whose server wants a token in a header
        TOKEN=… Jobs hear URL        the same, played here
        TOKEN=… Jobs yandex PATH     a song on Yandex.Disk
                Jobs keep URL FILE   a file, whole
        IDENTITY=… Jobs age URL      an encrypted film
                Jobs radio URL       a station, played here, with its titles
        """

    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == (words.first == "keep" ? 3 : 2) else {
            print(Self.usage)
            exit(2)
        }
        let library = try MediaLibrary(directory: .temporaryDirectory.appending(path: "weir-jobs"))
        do {
            try await Self.run(words, in: library)
        } catch {
            // Every error of Weir is a sentence for users.
            print(error)
        }
        await library.close()
    }

    private static func run(_ words: [String], in library: MediaLibrary) async throws {
        let environment = ProcessInfo.processInfo.environment
        let token = environment["TOKEN"] ?? ""
        let address = URL(string: words[1]) ?? URL(filePath: words[1])
        switch words[0] {
        case "header":
            try await Self.offer(song(at: address, token: token, in: library))
        case "hear":
            try await hear(address, token: token)
        case "yandex":
            try await Self.offer(songOnYandexDisk(at: words[1], token: token, in: library))
        case "keep":
            let file = URL(filePath: words[2])
            let count = try await keepWhole(library.media(address), as: file)
            print("\(count) bytes in \(words[2])")
        case "age":
            let identity = environment["IDENTITY"] ?? ""
            try await Self.offer(film(at: address, identity: identity, in: library))
        case "radio":
            try await listen(to: address, in: library)
        default:
            print(Self.usage)
        }
    }

    /// Plays with AVPlayer, or prints an address on other platforms, and waits for a line.
    @MainActor
    private static func offer(_ media: Media) async throws {
        #if canImport(AVFoundation)
        let player = try await play(media)
        print("\(media.display) plays; Return ends it")
        _ = readLine()
        player.pause()
        #else
        let (proxy, url) = try await serve(media)
        print("\(url)\nReturn ends it")
        _ = readLine()
        await proxy.close()
        #endif
    }
}
