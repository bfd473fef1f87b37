// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Where the cache lies.
struct CacheFolderOption: ParsableArguments {
    @Option(
        name: .customLong("cache"),
        help: ArgumentHelp("The cache folder.", valueName: "folder")
    )
    var directory: String?

    /// The folder to use.
    func path(_ surroundings: Surroundings) -> String {
        self.directory ?? surroundings["WEIR_CACHE"] ?? surroundings.cacheDirectory
    }
}
