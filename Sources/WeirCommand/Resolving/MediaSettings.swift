// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache
import WeirCipher
import WeirHTTP
import WeirSource

/// The options of every command that opens media.
struct MediaOptions: ParsableArguments {
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Fetching and keeping") var load: LoadOptions
    @OptionGroup(title: "Decryption") var cipher: CipherOptions
    @OptionGroup(title: "Cache") var cache: CacheOptions
    @OptionGroup(title: "Output") var output: OutputOptions
}

/// The settings of a command that opens media, from the command line, the environment and the
/// configuration.
struct MediaSettings: Sendable {
    let environment: ProgramEnvironment
    let configuration: Configuration
    /// The headers of the command line, for URLs.
    var headers = HTTPHeaderList()
    /// The account of the command line; overrides the configuration.
    var account: String?
    /// The rule that compares two versions of a file; overrides the configuration.
    var validator: ValidatorPolicy?
    /// The decryption for all media; overrides the configuration.
    var decryption: Decryption?
    /// Reads the keys of the configuration; `nil` if the command decrypts nothing, as for a list.
    var keys: KeyReader?
    /// The configuration of the library.
    var libraryOptions = MediaLibrary.Configuration()
}

/// Settings from options.
extension MediaSettings {
    /// Reads the options; warns about a credential without an account, if one of the names is a
    /// URL.
    ///
    /// `note` receives lines about progress; with `tellsRetries`, also a line for each repeated
    /// request.
    ///
    /// - Throws: ``CommandError``, `ValidationError`, `SourceError`, `CipherError` for unusable
    ///   options.
    init(
        _ names: [String],
        _ options: MediaOptions,
        tellsRetries: Bool = false,
        note: @escaping @Sendable (String) -> Void = { Output.note($0) }
    ) throws {
        try self.init(options.source, options.cache.folder)
        self.warnOfUnnamedCredential(names, options.output)
        let keys = KeyReader(self.environment, warn: options.output.warn)
        self.keys = keys
        self.validator = try options.load.validatorPolicy(self.environment)
        self.decryption = try options.cipher.decryption(self.environment, keys)
        let settings = self.configuration.settings
        try options.cache.apply(to: &self.libraryOptions, self.environment, settings)
        try options.load.apply(to: &self.libraryOptions, self.environment, settings)
        self.libraryOptions.playlistCredentials = self.configuration.playlistCredentials(
            self.environment
        )
        if self.libraryOptions.isOffline { try options.cache.folder.requireFolder() }
        self.libraryOptions.observer = options.output.observer(
            tellsRetries: tellsRetries,
            note: note
        )
    }

    /// The settings of a command that only lists; the library then removes nothing, whatever the
    /// limits.
    ///
    /// - Throws: as the other initializer.
    init(
        _ source: SourceOptions,
        _ cache: CacheFolderOption,
        _ output: OutputOptions,
        isOffline: Bool
    ) throws {
        try self.init(source, cache)
        self.libraryOptions.cacheLimits = CacheLimits()
        self.libraryOptions.scrubRate = nil
        if isOffline { self.libraryOptions.isOffline = true }
        self.libraryOptions.observer = output.observer(tellsRetries: false) { Output.note($0) }
    }

    private init(_ source: SourceOptions, _ cache: CacheFolderOption) throws {
        let environment = ProgramEnvironment()
        let configuration = try cache.configuration.load(environment)
        let settings = configuration.settings
        self.init(
            environment: environment,
            configuration: configuration,
            headers: try source.headerList(environment),
            account: source.accountName(environment),
            libraryOptions: MediaLibrary.Configuration(
                directory: cache.path(environment, settings)
            )
        )
        self.libraryOptions.transport.certificatePath = try source.certificatePath(
            self.environment,
            settings
        )
        self.libraryOptions.isOffline = settings.offline == true
        self.libraryOptions.transport.requestsPerSecond = self.configuration.requestsPerSecond
    }

    /// The folder of the cache.
    var cacheDirectory: String { self.libraryOptions.directory }

    /// Adds the object store that a fleet of machines shares behind their caches, if it is
    /// configured.
    ///
    /// - Throws: ``CommandError`` if a secret cannot be read.
    mutating func useTier() throws {
        guard let tier = self.configuration.tier else { return }
        let environment = self.environment
        self.libraryOptions.tier = TierSettings(
            secret: Array(try tier.secret.value(environment).utf8),
            bytesPerSecond: tier.uploadRate?.bytes
        ) { client in
            try tier.bucket.service("tier", environment, client)
        }
    }

    /// The number of event loops: one, or more for decryption, which needs processor time.
    var eventLoopCount: Int {
        let decrypts =
            self.decryption != nil || self.configuration.sources.contains { $0.cipher != nil }
        return decrypts ? min(4, ProcessInfo.processInfo.activeProcessorCount) : 1
    }

    /// Runs a body with a library, and always closes the library.
    ///
    /// - Throws: `CacheError`, `SourceError` if the library cannot be opened; the errors of the
    ///   body.
    func withLibrary<Result>(_ body: (MediaLibrary) async throws -> Result) async throws -> Result {
        try await MediaLibrary.with(self.libraryOptions, body)
    }

    /// Warns that the cache keeps the bytes for the given credential only.
    private func warnOfUnnamedCredential(_ names: [String], _ output: OutputOptions) {
        guard self.account == nil, !output.quiet,
            names.contains(where: { $0.contains("://") && (try? OriginURL($0))?.userInfo == nil }),
            self.headers.contains("Authorization") || self.headers.contains("Cookie")
        else { return }
        Output.note(
            "warning: The cache finds these files again only with this credential. If the credential changes, as"
                + " tokens do, name its account with --account NAME."
        )
    }
}

extension MediaLibrary {
    /// Opens a library, runs a body with it, and always closes it.
    ///
    /// - Throws: `CacheError`, `SourceError` if the library cannot be opened; the errors of the
    ///   body.
    static func with<Result>(
        _ options: Configuration,
        _ body: (MediaLibrary) async throws -> Result
    ) async throws -> Result {
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
}
