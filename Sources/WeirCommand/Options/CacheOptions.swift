// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir

/// Where the cache lies, and how large it may get.
struct CacheOptions: ParsableArguments {
    @Option(
        name: .customLong("cache"),
        help: ArgumentHelp("The cache folder.", valueName: "folder")
    )
    var directory: String?

    @Option(
        name: .customLong("cache-limit"),
        help: ArgumentHelp(
            "How much it may hold; what was used longest ago goes first. (default: 2GiB)",
            valueName: "size"
        )
    )
    var limit: ByteSize?

    /// The folder to use.
    func path(_ surroundings: Surroundings) -> String {
        self.directory ?? surroundings["WEIR_CACHE"] ?? surroundings.cacheDirectory
    }

    /// Library options for this folder and limit.
    func libraryOptions(_ surroundings: Surroundings) throws -> MediaLibrary.Options {
        var options = MediaLibrary.Options(directory: self.path(surroundings))
        let limit = try self.limit ?? surroundings.value("WEIR_CACHE_LIMIT", as: ByteSize.self)
        if let limit { options.cacheLimit = limit.bytes }
        return options
    }
}
