// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// The folder of the cache, and its limits.
struct CacheOptions: ParsableArguments {
    @OptionGroup var folder: CacheFolderOption

    @Option(
        name: .customLong("cache-limit"),
        help: .value(
            "size",
            "The size limit of the cache. Weir removes the least recently used resource first, and never the last"
                + " used one. (default: 2GB)"
        ),
        transform: ByteSize.read
    )
    var limit: ByteSize?

    @Option(
        name: .customLong("cache-count"),
        help: .value("number", "The maximum number of resources.")
    )
    var count: Int?

    @Option(
        name: .customLong("cache-age"),
        help: .value("time", "How long to keep unused resources: 12h, 30d."),
        transform: TimeSpan.read
    )
    var age: TimeSpan?

    @Option(
        name: .customLong("cache-reserve"),
        help: .value("size", "The space to leave free on the disk."),
        transform: ByteSize.read
    )
    var reserve: ByteSize?

    func validate() throws {
        if let count, count < 1 {
            throw ValidationError("--cache-count \(count) would hold nothing; give 1 or more.")
        }
    }

    /// Applies the limits to the options of a library.
    func apply(
        to options: inout MediaLibrary.Configuration,
        _ environment: ProgramEnvironment,
        _ settings: ConfigurationSettings
    ) throws {
        let limit =
            try self.limit ?? environment.value("WEIR_CACHE_LIMIT")
            ?? settings.cacheLimit
        if let limit { options.cacheLimits.byteCount = limit.bytes }
        options.cacheLimits.resourceCount = self.count ?? settings.cacheCount
        options.cacheLimits.age = try
            (self.age ?? environment.value("WEIR_CACHE_AGE")
            ?? settings.cacheAge)?.duration
        options.cacheLimits.reserve = try
            (self.reserve ?? environment.value("WEIR_CACHE_RESERVE")
            ?? settings.cacheReserve)?.bytes
    }
}

/// The folder of the cache.
struct CacheFolderOption: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOption

    @Option(
        name: .customLong("cache"),
        help: .value("folder", "The cache folder."),
        completion: .directory
    )
    var directory: String?

    /// Runs a body with a library of the cache folder.
    ///
    /// The owner of the folder does the work: this process, or another process that uses the
    /// folder. No cache limit applies, so the cache keeps the resources that the command does not
    /// name.
    func withLibrary<Result>(_ body: (MediaLibrary) async throws -> Result) async throws -> Result {
        try self.requireFolder()
        var options = MediaLibrary.Configuration(directory: try self.path(ProgramEnvironment()))
        options.cacheLimits = CacheLimits()
        options.scrubRate = nil
        return try await MediaLibrary.with(options, body)
    }

    /// Runs a body as ``withLibrary(_:)`` does, if the folder exists; does not create it.
    ///
    /// - Returns: the result of the body; `nil` without a folder.
    func withExistingLibrary<Result>(
        _ body: (MediaLibrary) async throws -> Result
    ) async throws -> Result? {
        var kind = FileKind(path: try self.path(ProgramEnvironment()))
        if case .link(let end) = kind { kind = end }
        guard kind == .folder else { return nil }
        return try await self.withLibrary(body)
    }

    /// Refuses a missing folder of `--cache`, for a command that only reads the cache.
    ///
    /// With a mistyped name, the command would report an empty cache.
    ///
    /// - Throws: ``CommandError`` with `notFound`.
    func requireFolder() throws(CommandError) {
        guard let directory, FileKind(path: directory) == .nothing else { return }
        throw CommandError.notFound(
            "There is no folder \(directory), which --cache names; check its name, or leave --cache out for the default folder."
        )
    }

    /// The folder to use.
    ///
    /// - Throws: ``CommandError`` if the configuration, which may name the folder, cannot be used.
    func path(_ environment: ProgramEnvironment) throws -> String {
        // A file that --config names must exist, even when --cache names the folder.
        guard self.configuration.file == nil, let named = self.named(environment) else {
            return self.path(environment, try self.configuration.load(environment).settings)
        }
        return named
    }

    /// The folder to use, given the loaded configuration.
    func path(_ environment: ProgramEnvironment, _ settings: ConfigurationSettings) -> String {
        self.named(environment) ?? settings.cache ?? environment.cacheDirectory
    }

    private func named(_ environment: ProgramEnvironment) -> String? {
        self.directory ?? environment["WEIR_CACHE"]
    }
}

/// The path of the configuration file.
struct ConfigurationOption: ParsableArguments {
    @Option(
        name: .customLong("config"),
        help: .value("file", "The configuration. (default: config.toml in ~/.config/weir)"),
        completion: .file()
    )
    var file: String?

    /// Loads the configuration.
    ///
    /// - Throws: ``CommandError`` with `usage`.
    func load(_ environment: ProgramEnvironment) throws -> Configuration {
        try Configuration.load(self.file, environment)
    }
}
