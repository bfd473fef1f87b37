// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// `weir cache export`.
struct CacheExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy a resource that is held whole to a plain file.",
        discussion: """
            The copy shares its blocks with the cache where the file system can do that.

            EXAMPLES
              weir cache export https://cloud.example/film.mp4
              weir cache export 3fa9c2 -o film.mp4
            """
    )

    @Argument(help: ArgumentHelp("A URL or an identifier.", valueName: "thing"))
    var thing: String

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp(
            "The file to write. (default: the name that the origin gave)",
            valueName: "file"
        )
    )
    var file: String?

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await self.cache.withLibrary { library in
            let matches = try await CachedThings(library).named(self.thing)
            guard matches.count == 1, let resource = matches.first else {
                throw CommandError(
                    .usage,
                    "\(matches.count) resources in the cache are called \(self.thing); name one by its identifier, which weir cache list shows."
                )
            }
            let path = self.file ?? Self.name(of: resource)
            guard let count = try await library.export(identifier: resource.identifier, to: path)
            else { return }
            if !self.output.quiet { Output.print("wrote \(path), \(ByteSize.format(count))") }
        }
    }

    /// The name that the origin gave, or the end of the URL; never a path.
    private static func name(of resource: CachedResource) -> String {
        let given = resource.name ?? resource.display
        let last = given.split(separator: "/").last.map(String.init) ?? ""
        return last.isEmpty || last.hasPrefix(".") ? resource.identifier : last
    }
}
