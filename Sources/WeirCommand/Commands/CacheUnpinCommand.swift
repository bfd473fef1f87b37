// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCache

/// `weir cache unpin`.
struct CacheUnpinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unpin",
        abstract: "No longer keep resources, whatever the limits are.",
        discussion: """
            EXAMPLES
              weir cache unpin https://cloud.example/film.mp4
              weir cache unpin 3fa9c2
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
            try cache.pin(identifier: resource.identifier, false)
            if !self.output.quiet { Output.print("unpinned \(resource.display)") }
        }
    }
}
