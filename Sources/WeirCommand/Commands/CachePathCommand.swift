// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `weir cache path`.
struct CachePathCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "path",
        abstract: "Print the cache folder.",
        discussion: """
            EXAMPLES
              weir cache path
              du -sh "$(weir cache path)"
            """
    )

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() throws {
        let path = try self.cache.path(Surroundings())
        if self.output.json { try Output.json(["path": path]) } else { Output.print(path) }
    }
}
