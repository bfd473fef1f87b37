// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// `weir cache unpin`.
struct CacheUnpinCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await self.cache.withLibrary { library in
            for resource in try await CachedThings(library).named(self.things) {
                try await library.pin(identifier: resource.identifier, false)
                if !self.output.quiet { Output.print("unpinned \(resource.display)") }
            }
        }
    }
}
