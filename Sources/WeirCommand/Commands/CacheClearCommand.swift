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
            let removed = try await library.removeAll()
            guard !self.output.quiet else { return }
            // An older Weir that serves the folder does not say what it removed.
            let what = removed.map {
                "\($0.resourceCount) resources, \(ByteSize.format($0.byteCount)),"
            }
            Output.print("removed \(what ?? "everything") from \(library.options.directory)")
        }
    }
}
