// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirCache
import WeirHTTP

/// The options of every command that opens media.
struct MediaOptions: ParsableArguments {
    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Decryption") var cipher: CipherOptions
    @OptionGroup(title: "Cache") var cache: CacheOptions
    @OptionGroup(title: "Output") var output: OutputOptions
}

/// The settings of a command that opens media, from the command line, the environment and the configuration.
struct MediaSettings: Sendable {
    let environment: ProgramEnvironment
    let configuration: Configuration
    /// The options that hold for all names of the command line.
    let given: MediaResolver.Given
    /// How the library keeps and fetches.
    let libraryOptions: MediaLibrary.Configuration

    /// Reads the options; warns of a credential without an account, where one of the names is a URL.
    ///
    /// `note` is given the lines about how it goes; with `tellsRetries` each repeated request is one.
    ///
    /// - Throws: ``CommandError``, `ValidationError`, `SourceError`, `CipherError` for options that cannot be used.
    init(
        _ names: [String],
        _ options: MediaOptions,
        tellsRetries: Bool = false,
        note: @escaping @Sendable (String) -> Void = { Output.note($0) }
    ) throws {
        try self.init(
            names,
            options.source,
            options.cipher,
            options.cache,
            options.output,
            tellsRetries: tellsRetries,
            note: note
        )
    }

    /// The same, of separate options; without those of a cipher nothing is decrypted.
    init(
        _ names: [String],
        _ source: SourceOptions,
        _ cipher: CipherOptions?,
        _ cache: CacheOptions,
        _ output: OutputOptions,
        tellsRetries: Bool = false,
        note: @escaping @Sendable (String) -> Void = { Output.note($0) }
    ) throws {
        let environment = ProgramEnvironment()
        self.environment = environment
        self.configuration = try cache.folder.configuration.load(environment)
        let headers = try source.headerList(environment)
        let account = source.accountName(environment)
        Self.warn(ofUnnamedCredential: headers, account, names, output)
        let keys = cipher.map { _ in KeyReader(environment, warn: output.warn) }
        self.given = MediaResolver.Given(
            headers: headers,
            account: account,
            decryption: try keys.flatMap { try cipher?.decryption(environment, $0) },
            keys: keys
        )
        let settings = self.configuration.settings
        var options = try cache.libraryOptions(self.environment, settings)
        try source.apply(to: &options, self.environment, settings)
        options.observer = output.observer(tellsRetries: tellsRetries, note: note)
        self.libraryOptions = options
    }

    /// Resolves names to media of a library, and to the user's stations where a command takes these.
    func resolver(_ library: MediaLibrary, stations: StationList? = nil) -> MediaResolver {
        MediaResolver(
            library: library,
            configuration: self.configuration,
            environment: self.environment,
            given: self.given,
            stations: stations
        )
    }

    /// One for bytes that are sent as they lie; more where they are decrypted, which keeps a processor busy.
    var eventLoopCount: Int {
        let decrypts =
            self.given.decryption != nil || self.configuration.sources.contains { $0.cipher != nil }
        return decrypts ? min(4, ProcessInfo.processInfo.activeProcessorCount) : 1
    }

    /// Does something with a library, and closes it in any case.
    ///
    /// - Throws: `CacheError`, `SourceError` where the library cannot be opened; what the body throws.
    func withLibrary<Result>(_ body: (MediaLibrary) async throws -> Result) async throws -> Result {
        try await MediaLibrary.with(self.libraryOptions, body)
    }

    /// Does something with the medium of a name, until the program is asked to end.
    ///
    /// - Throws: what the body throws, of a folder that it is one; `CancellationError` when the program is asked to end.
    func withMedia<Result: Sendable>(
        of name: String,
        _ body: @escaping @Sendable (Media) async throws -> Result
    ) async throws -> Result {
        try await self.withLibrary { library in
            let location = try self.resolver(library).location(name)
            let media = try location.media(in: library)
            return try await Signals().interruptible {
                do {
                    return try await body(media)
                } catch {
                    throw await location.explained(error)
                }
            }
        }
    }

    /// Warns that bytes which are got with a credential are kept without a name.
    private static func warn(
        ofUnnamedCredential headers: HTTPHeaderList,
        _ account: String?,
        _ names: [String],
        _ output: OutputOptions
    ) {
        guard account == nil, !output.quiet,
            names.contains(where: { $0.contains("://") && (try? OriginURL($0))?.userInfo == nil }),
            headers.contains("Authorization") || headers.contains("Cookie")
        else { return }
        Output.note(
            "warning: a credential is sent but --account does not say whose it is; whoever uses this cache "
                + "with another credential would be served the same bytes."
        )
    }
}

extension MediaLibrary {
    /// Opens a library, does something with it, and closes it in any case.
    ///
    /// - Throws: `CacheError`, `SourceError` where the library cannot be opened; what the body throws.
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
