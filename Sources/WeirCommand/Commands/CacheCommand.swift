// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `weir cache`.
struct CacheCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache",
        abstract: "Look into the cache, and say what it is to hold.",
        discussion: """
            EXAMPLES
              weir cache list
              weir cache export https://cloud.example/film.mp4 -o film.mp4
              weir cache remove https://cloud.example/film.mp4
            """,
        subcommands: [
            CacheListCommand.self, CachePathCommand.self, CachePinCommand.self,
            CacheUnpinCommand.self, CacheVerifyCommand.self, CacheExportCommand.self,
            CacheRemoveCommand.self, CacheClearCommand.self,
        ]
    )
}
