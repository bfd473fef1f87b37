// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCache

/// `weir cache pin`.
struct CachePinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin",
        abstract: "Keep resources, whatever the limits are.",
        discussion: """
            What is pinned is not removed to make room, and its later versions are pinned, too.

            EXAMPLES
              weir cache pin https://cloud.example/film.mp4
              weir cache pin 3fa9c2 81d0e5
            """
    )

    @Argument(help: ArgumentHelp("URLs or identifiers.", valueName: "thing"))
    var things: [String]

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let cache = try Cache(directory: self.cache.path(Surroundings()))
        defer { cache.close() }
        for resource in try CachedThings(cache).named(self.things) {
            try cache.pin(identifier: resource.identifier)
            if !self.output.quiet { Output.print("pinned \(resource.display)") }
        }
    }
}
