// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Weir
import WeirCache

/// Where the cache lies.
struct CacheFolderOption: ParsableArguments {
    @OptionGroup var configuration: ConfigurationOption

    @Option(
        name: .customLong("cache"),
        help: ArgumentHelp("The cache folder.", valueName: "folder")
    )
    var directory: String?

    /// Does something with what is held, in the process that owns the folder: this one, if there is no other.
    ///
    /// No limit holds meanwhile: what a command does not name stays.
    func withLibrary<Result>(
        _ body: (MediaLibrary) async throws -> Result
    ) async throws -> Result {
        var options = MediaLibrary.Options(directory: try self.path(Surroundings()))
        options.cacheLimits = CacheLimits()
        options.scrubRate = nil
        let library = try MediaLibrary(options)
        do {
            let result = try await body(library)
            await library.close()
            return result
        } catch {
            await library.close()
            throw error
        }
    }

    /// The folder to use.
    ///
    /// - Throws: ``CommandError`` if the configuration, which may name it, cannot be used.
    func path(_ surroundings: Surroundings) throws -> String {
        try self.named(surroundings)
            ?? self.path(surroundings, self.configuration.load(surroundings).settings)
    }

    /// The folder to use, where the configuration has been read.
    func path(_ surroundings: Surroundings, _ settings: ConfigurationSettings) -> String {
        self.named(surroundings) ?? settings.cache ?? surroundings.cacheDirectory
    }

    private func named(_ surroundings: Surroundings) -> String? {
        self.directory ?? surroundings["WEIR_CACHE"]
    }
}
