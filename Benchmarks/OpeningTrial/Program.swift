// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirCache
import WeirSource

/// Measures how long opening a library blocks the caller's actor.
///
///     opening-trial fill FOLDER COUNT   makes a cache of COUNT resources, and exits as if killed
///     opening-trial init FOLDER         opens it with the initializer, on the main actor
///     opening-trial open FOLDER         opens it with MediaLibrary.open, called on the main actor
///
/// `init` and `open` print one line of JSON: the duration of the opening, and the longest wait of
/// the main actor during it, in milliseconds. A task that is always ready to run measures this
/// wait. Both exit without closing the library, as after a kill, so that the next run finds the
/// same files.
@main
@MainActor
struct Program {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        switch (words.first, words.count) {
        case ("fill", 3): try Self.fill(words[1], Int(words[2]) ?? 0)
        case ("init", 2): try await Self.measure("init") { try MediaLibrary(directory: $0) }
        case ("open", 2): try await Self.measure("open") { try await .open(directory: $0) }
        default:
            FileHandle.standardError.write(
                Data("usage: opening-trial fill|init|open FOLDER [COUNT]\n".utf8)
            )
            exit(2)
        }
        _exit(0)
    }

    private static func fill(_ folder: String, _ count: Int) throws {
        let cache = try Cache(directory: folder, limits: CacheLimits(), observer: nil)
        let bytes = ByteMemory([UInt8](repeating: 7, count: 1024))
        for number in 0..<count {
            let url = "http://origin.test/\(number).mp3"
            let generation = try cache.create(
                ResourceKey(location: url, account: "", display: url),
                description: ResourceDescription(
                    length: 1024,
                    validator: .entityTag("\"\(number)\"")
                ),
                persistent: true
            )
            try generation.write(bytes, at: 0)
            generation.release()
        }
        // Resources that the catalogue lacks are found in the journals.
        print("{\"resources\": \(try cache.resources().count)}")
    }

    private static func measure(
        _ name: String,
        _ open: (URL) async throws -> MediaLibrary
    ) async throws {
        let clock = ContinuousClock()
        let gaps = Task { @MainActor in
            var longest = Duration.zero
            while !Task.isCancelled {
                let start = clock.now
                await Task.yield()
                longest = max(longest, clock.now - start)
            }
            return longest
        }
        // Lets the other task run before the opening begins.
        for _ in 0..<10 { await Task.yield() }
        let folder = URL(filePath: CommandLine.arguments[2])
        let start = clock.now
        let library = try await open(folder)
        let time = clock.now - start
        gaps.cancel()
        let longest = await gaps.value
        let count = try await library.resources().count
        print(
            "{\"measure\": \"\(name)\", \"resources\": \(count), \"opening\": \(time / .milliseconds(1)),"
                + " \"longest wait of the actor\": \(longest / .milliseconds(1))}"
        )
        fflush(nil)
    }
}
