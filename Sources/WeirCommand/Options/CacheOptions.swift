// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// Where the cache lies, and how large it may get.
struct CacheOptions: ParsableArguments {
    @OptionGroup var folder: CacheFolderOption

    @Option(
        name: .customLong("cache-limit"),
        help: ArgumentHelp(
            "How much it may hold; what was used longest ago goes first. (default: 2GiB)",
            valueName: "size"
        )
    )
    var limit: ByteSize?

    @Option(
        name: .customLong("cache-count"),
        help: ArgumentHelp("How many resources it may hold.", valueName: "number")
    )
    var count: Int?

    @Option(
        name: .customLong("cache-age"),
        help: ArgumentHelp(
            "How long to hold what is not used: 12h, 30d.",
            valueName: "time"
        )
    )
    var age: TimeSpan?

    @Option(
        name: .customLong("cache-reserve"),
        help: ArgumentHelp("How much to leave free on its disk.", valueName: "size")
    )
    var reserve: ByteSize?

    func validate() throws {
        if let count, count < 1 {
            throw ValidationError("--cache-count \(count) would hold nothing; give 1 or more.")
        }
    }

    /// Library options for this folder and limit.
    func libraryOptions(_ surroundings: Surroundings, _ settings: ConfigurationSettings) throws
        -> MediaLibrary.Options
    {
        var options = MediaLibrary.Options(directory: self.folder.path(surroundings, settings))
        let limit =
            try self.limit ?? surroundings.value("WEIR_CACHE_LIMIT", as: ByteSize.self)
            ?? settings.cacheLimit
        if let limit { options.cacheLimits.byteCount = limit.bytes }
        options.cacheLimits.resourceCount = self.count ?? settings.cacheCount
        options.cacheLimits.age = try
            (self.age ?? surroundings.value("WEIR_CACHE_AGE", as: TimeSpan.self)
            ?? settings.cacheAge)?.duration
        options.cacheLimits.reserve = try
            (self.reserve ?? surroundings.value("WEIR_CACHE_RESERVE", as: ByteSize.self)
            ?? settings.cacheReserve)?.bytes
        return options
    }
}
