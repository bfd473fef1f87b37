// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// What a command was told of the things that it opens, read once: configuration, headers, account, keys, cache.
struct ThingOpening: Sendable {
    /// Where the command runs.
    let surroundings: Surroundings
    /// What the user has written down.
    let configuration: Configuration
    /// What is said of every source that is named by a URL.
    let given: SourceMaker.Given
    /// How the library keeps and fetches.
    let libraryOptions: MediaLibrary.Options

    /// Reads the options; warns of a credential without an account.
    ///
    /// - Parameters:
    ///   - things: what the command line names, for the warning.
    ///   - source: what the origins are asked.
    ///   - cipher: how what is named is decrypted.
    ///   - cache: where the cache lies, and how large it may get.
    ///   - output: how much is said.
    ///   - note: is given the lines about how it goes; by default they are written to standard error.
    /// - Throws: ``CommandError``, `ValidationError`, `SourceError`, `CipherError`: what of it cannot be used.
    init(
        _ things: [String],
        source: SourceOptions,
        cipher: CipherOptions,
        cache: CacheOptions,
        output: OutputOptions,
        note: @escaping @Sendable (String) -> Void = { Output.note($0) }
    ) throws {
        let surroundings = Surroundings()
        let configuration = try cache.folder.configuration.load(surroundings)
        let headers = try source.headerList(surroundings)
        let account = source.accountName(surroundings)
        CredentialWarning.say(things: things, headers: headers, account: account, output: output)
        let keys = KeyReader(surroundings, warn: output.warn)
        self.surroundings = surroundings
        self.configuration = configuration
        self.given = SourceMaker.Given(
            headers: headers,
            account: account,
            decryption: try cipher.decryption(surroundings, keys),
            keys: keys
        )
        var options = try cache.libraryOptions(surroundings, configuration.settings)
        try source.apply(to: &options, surroundings, configuration.settings)
        options.observer = EventLine.observer(output, note: note)
        self.libraryOptions = options
    }

    /// Makes what the command line names, of a library's media.
    func maker(_ library: MediaLibrary) -> SourceMaker {
        SourceMaker(
            library: library,
            configuration: self.configuration,
            surroundings: self.surroundings,
            given: self.given
        )
    }

    /// Does something with a library, and closes it whatever comes of it.
    ///
    /// - Parameter body: is cancelled by nobody but the caller's own task.
    /// - Returns: what the body does.
    /// - Throws: `CacheError`, `SourceError` where the library cannot be opened; what the body throws.
    func withLibrary<Result>(
        _ body: (MediaLibrary) async throws -> Result
    ) async throws -> Result {
        let library = try MediaLibrary(self.libraryOptions)
        do {
            let result = try await body(library)
            await library.close()
            return result
        } catch {
            await library.close()
            throw error
        }
    }

    /// Does something with the medium that a thing names, until the program is asked to end.
    ///
    /// - Parameters:
    ///   - text: the thing, as it was written.
    ///   - body: is given the medium, and whether it is decrypted; is cancelled when the program is asked to end.
    /// - Returns: what the body does.
    /// - Throws: what the body throws, a folder being said to be one; `CancellationError`.
    func withMedia<Result: Sendable>(
        of text: String,
        _ body: @escaping @Sendable (_ media: Media, _ isDecrypted: Bool) async throws -> Result
    ) async throws -> Result {
        try await self.withLibrary { library in
            let thing = try self.maker(library).thing(text)
            let media = try thing.media(in: library)
            return try await Signals.interruptible {
                do { return try await body(media, thing.source.decryption != nil) } catch {
                    throw await thing.explained(error, in: library)
                }
            }
        }
    }
}
