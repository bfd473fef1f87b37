// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// `weir cache verify`.
struct CacheVerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Compare what is held with its checksums.",
        discussion: """
            Without a thing everything is compared. What is damaged is held no longer, and is fetched again when it \
            is wanted; the exit status is 6 then.

            EXAMPLES
              weir cache verify
              weir cache verify https://cloud.example/film.mp4
            """
    )

    @Argument(
        help: ArgumentHelp("URLs or identifiers; everything without any.", valueName: "thing")
    )
    var things: [String] = []

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let (sound, damaged) = try await self.cache.withLibrary(self.verify)
        guard damaged == 0 else {
            throw CommandError(
                .content,
                "\(ByteSize.format(damaged)) in the cache were damaged, and are fetched again when they are wanted; look after the disk."
            )
        }
        if !self.output.quiet { Output.note("\(ByteSize.format(sound)) are what was written") }
    }

    /// Compares, and tells of each resource.
    ///
    /// - Returns: how many bytes are sound, and how many were not.
    private func verify(_ library: MediaLibrary) async throws -> (sound: Int64, damaged: Int64) {
        var sound: Int64 = 0
        var damaged: Int64 = 0
        for resource in try await CachedThings(library).named(self.things) {
            guard let found = try await library.verify(identifier: resource.identifier) else {
                continue
            }
            sound += found.soundByteCount
            damaged += found.damagedByteCount
            if self.output.json {
                try Output.json(Line(resource, found))
            } else if found.damagedByteCount > 0 {
                Output.print(
                    "damaged \(resource.display): \(ByteSize.format(found.damagedByteCount)) are held no longer"
                )
            } else if self.output.verbose {
                Output.print("sound \(resource.display), \(ByteSize.format(found.soundByteCount))")
            }
        }
        return (sound, damaged)
    }

    /// A line of `--json`.
    private struct Line: Encodable {
        var identifier: String
        var url: String
        var soundBytes: Int64
        var damagedBytes: Int64

        init(_ resource: CachedResource, _ found: Cache.Verification) {
            self.identifier = resource.identifier
            self.url = resource.display
            self.soundBytes = found.soundByteCount
            self.damagedBytes = found.damagedByteCount
        }
    }
}
