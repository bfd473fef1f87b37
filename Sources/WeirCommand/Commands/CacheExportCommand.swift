// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache

/// `weir cache export`.
struct CacheExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Copy a resource that is held whole to a plain file.",
        discussion: """
            The copy shares its blocks with the cache where the file system can do that. Nothing that is there is \
            replaced and no link is followed without --force.

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

    @Flag(help: "Replace the file that is there already.")
    var force = false

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
            let target =
                self.file.map { OutputTarget(option: $0) }
                ?? OutputTarget(offered: Self.name(of: resource), otherwise: resource.identifier)
            guard case .file(let isReplacing) = try target.way(isForced: self.force) else {
                throw CommandError(
                    .usage,
                    "A copy of the cache is a file, and \(target.display) is none; weir get writes to it."
                )
            }
            let folder = URL(fileURLWithPath: target.path).deletingLastPathComponent().path
            guard access(folder, W_OK | X_OK) == 0 else { throw target.failure(errno) }
            let copy = UnfinishedFile(for: target, isReplacing: isReplacing)
            do {
                // Another process may own the cache: it writes the copy, and this one gives the name.
                let identifier = resource.identifier
                guard let count = try await library.export(identifier: identifier, to: copy.path)
                else { return }
                // As this process would have made it, whoever owns the cache.
                let mask = umask(0o077)
                umask(mask)
                chmod(copy.path, 0o666 & ~mask)
                try copy.finish()
                if !self.output.quiet {
                    Output.print("wrote \(target.path), \(ByteSize.format(count))")
                }
            } catch {
                copy.discard()
                guard var error = error as? CacheError else { throw error }
                // As the user knows the file.
                error.message = error.message.replacing(copy.path, with: target.path)
                throw error
            }
        }
    }

    /// The name that the origin gave, or the end of the URL.
    private static func name(of resource: CachedResource) -> String {
        let last = resource.display.split(separator: "/").last.map(String.init)
        return resource.name ?? last ?? ""
    }
}
