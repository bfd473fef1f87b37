// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// `weir cache remove`.
struct CacheRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove resources from the cache.",
        discussion: """
            A resource is named by its URL, as weir cache list shows it, or by the first digits (four or more) \
            of its identifier.

            EXAMPLES
              weir cache remove https://cloud.example/film.mp4
              weir cache remove 3fa9c2
            """
    )

    @Argument(help: ArgumentHelp("URLs or identifiers.", valueName: "thing"))
    var things: [String]

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await self.cache.withLibrary { library in
            for resource in try await CachedThings(library).named(self.things) {
                try await library.remove(identifier: resource.identifier)
                guard !self.output.quiet else { continue }
                Output.print(
                    "removed \(resource.display), \(ByteSize.format(resource.heldBytes))"
                )
            }
        }
    }
}
