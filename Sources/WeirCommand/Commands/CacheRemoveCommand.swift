// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCache

/// `weir cache remove`.
struct CacheRemoveCommand: ParsableCommand {
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

    @OptionGroup(title: "Cache") var cache: CacheOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let surroundings = Surroundings()
        let cache = try Cache(directory: self.cache.path(surroundings), limit: nil)
        defer { cache.close() }
        let resources = try cache.resources()
        for thing in self.things {
            let matches = resources.filter { CacheRemoveCommand.matches($0, thing) }
            guard !matches.isEmpty else {
                throw CommandError(
                    .notFound,
                    "Nothing in the cache is called \(thing.prefix { $0 != "?" }); weir cache list shows what is there."
                )
            }
            for resource in matches {
                _ = try cache.remove(identifier: resource.identifier)
                if !self.output.quiet {
                    Output.print(
                        "removed \(resource.display), \(ByteSize.format(resource.heldBytes))"
                    )
                }
            }
        }
    }

    static func matches(_ resource: CachedResource, _ thing: String) -> Bool {
        resource.display == thing.prefix { $0 != "?" }
            || thing.count >= 4 && resource.identifier.hasPrefix(thing.lowercased())
    }
}
