// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// `weir cache pin`.
struct CachePinCommand: AsyncParsableCommand {
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

    func run() async throws {
        try await self.cache.withLibrary { library in
            for resource in try await CachedThings(library).named(self.things) {
                try await library.pin(identifier: resource.identifier)
                if !self.output.quiet { Output.print("pinned \(resource.display)") }
            }
        }
    }
}
