// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// `weir cache clear`.
struct CacheClearCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove everything from the cache.",
        discussion: """
            EXAMPLES
              weir cache clear
              weir cache clear --cache /tmp/weir --quiet
            """
    )

    @OptionGroup(title: "Cache") var cache: CacheFolderOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        try await self.cache.withLibrary { library in
            let resources = try await library.resources()
            try await library.removeAll()
            guard !self.output.quiet else { return }
            let total = resources.reduce(0) { $0 + $1.heldBytes }
            Output.print(
                "removed \(resources.count) resources, \(ByteSize.format(total)), from \(library.options.directory)"
            )
        }
    }
}
