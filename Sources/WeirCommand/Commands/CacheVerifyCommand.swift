// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCache

/// `weir cache verify`.
struct CacheVerifyCommand: ParsableCommand {
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

    func run() throws {
        let cache = try Cache(directory: self.cache.path(Surroundings()))
        defer { cache.close() }
        var sound: Int64 = 0
        var damaged: Int64 = 0
        for resource in try CachedThings(cache).named(self.things) {
            guard let found = try cache.verify(identifier: resource.identifier) else { continue }
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
        guard damaged == 0 else {
            throw CommandError(
                .content,
                "\(ByteSize.format(damaged)) in the cache were damaged, and are fetched again when they are wanted; look after the disk."
            )
        }
        if !self.output.quiet { Output.note("\(ByteSize.format(sound)) are what was written") }
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
