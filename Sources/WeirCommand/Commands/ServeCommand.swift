// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirProxy

/// `weir serve`.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve origins, folders, sources and radio stations; print the URL of each.",
        discussion: """
            Without an origin, everything in the configuration and every station of weir radio is served, each under \
            its name. Every path below an origin is served under the printed URL, byte for byte. All players of a \
            station share one connection, which lasts as long as one of them. It runs until Ctrl-C \
            (status 130), SIGTERM or the end of its terminal (status 0); what was fetched is durable then.

            It takes as many open files as the system lets it (the hard limit), divides them among players, data files and \
            origins, and needs 128 of them. 512 players have a place at a time; when another one asks, the one that has \
            been idle or paused longest is closed, and goes on with its next request.

            EXAMPLES
              weir serve https://cloud.example/music/ --header-env Authorization=TOKEN
              weir serve groove
              weir serve
            """
    )

    @Argument(
        help: ArgumentHelp(
            "A URL, a folder or file, NAME: of a source, or a station; none for all sources and stations.",
            valueName: "origin"
        )
    )
    var origins: [String] = []

    @Option(
        help: ArgumentHelp(
            "Where to listen; port 0 takes a free one. (default: 127.0.0.1:4747)",
            valueName: "host:port"
        )
    )
    var listen: ListenAddress?

    @Flag(
        name: .customLong("no-secret"),
        help: "Serve without a secret in the path; on loopback only."
    )
    var noSecret = false

    @Flag(
        name: .customLong("new-secret"),
        help: "Make another secret; URLs that were given out end."
    )
    var newSecret = false

    @Option(
        name: .customLong("allow-host"),
        help: ArgumentHelp(
            "A name beside those of loopback that a player may call this server.",
            valueName: "name"
        )
    )
    var allowedHosts: [String] = []

    @Option(
        name: .customLong("allow-cross-origin"),
        help: ArgumentHelp("A site whose pages may read what is served.", valueName: "site")
    )
    var allowedSites: [String] = []

    @OptionGroup(title: "Source") var source: SourceOptions
    @OptionGroup(title: "Decryption") var cipher: CipherOptions
    @OptionGroup(title: "Cache") var cache: CacheOptions
    @OptionGroup(title: "Output") var output: OutputOptions

    func validate() throws {
        guard !(self.noSecret && self.newSecret) else {
            throw ValidationError("--no-secret and --new-secret exclude each other; leave one out.")
        }
    }

    func run() async throws {
        let signals = Signals.stream()
        let plan = try self.plan(Surroundings())
        try DescriptorBudget(proxyLoopCount: plan.proxy.eventLoopCount)
            .check(limit: OpenFileLimit.current)
        let session = try await ServingSession(plan)
        for thing in session.things {
            if self.output.json {
                try Output.json(
                    ServedLine(
                        name: thing.name,
                        origin: thing.display,
                        url: session.url(of: thing)
                    )
                )
            } else {
                Output.print(session.url(of: thing))
            }
        }
        if !self.output.quiet, Output.isTerminal { Output.note("Ctrl-C ends it.") }
        var ending = SIGTERM
        for await signal in signals {
            ending = signal
            break
        }
        await session.close()
        if !self.output.quiet { Output.note(session.summary) }
        if ending == SIGINT { throw ExitCode(ExitStatus.interrupted.rawValue) }
    }

    private func plan(_ surroundings: Surroundings) throws -> ServingSession.Plan {
        let configuration = try self.cache.folder.configuration.load(surroundings)
        let settings = configuration.settings
        let address =
            try self.listen ?? surroundings.value("WEIR_LISTEN", as: ListenAddress.self)
            ?? settings.listen ?? ListenAddress.standard
        let origins = self.origins
        let stations = try StationBookFile(surroundings).read()
        guard !origins.isEmpty || !configuration.sources.isEmpty || !stations.stations.isEmpty
        else {
            throw CommandError(
                .usage,
                "Nothing to serve: name an origin, such as https://cloud.example/music/, write sources into"
                    + " \(configuration.file), or name stations with weir radio add."
            )
        }
        let headers = try self.source.headerList(surroundings)
        let account = self.source.accountName(surroundings)
        CredentialWarning.say(
            things: origins,
            headers: headers,
            account: account,
            output: self.output
        )
        let store = SecretStore(directory: surroundings.configurationDirectory)
        var options = try self.cache.libraryOptions(surroundings, settings)
        try self.source.apply(to: &options, surroundings, settings)
        let keys = KeyReader(surroundings, warn: self.output.warn)
        let given = SourceMaker.Given(
            headers: headers,
            account: account,
            decryption: try self.cipher.decryption(surroundings, keys),
            keys: keys
        )
        return ServingSession.Plan(
            libraryOptions: options,
            things: { library in
                let maker = ServedThingMaker(
                    SourceMaker(
                        library: library,
                        configuration: configuration,
                        surroundings: surroundings,
                        given: given
                    ),
                    stations: stations
                )
                guard !origins.isEmpty else { return try maker.all(note: Output.note) }
                return try origins.enumerated().map { index, text in
                    try maker.thing(text, name: index == 0 ? "origin" : "origin\(index + 1)")
                }
            },
            proxy: ProxyConfiguration(
                host: address.host,
                port: address.port,
                secret: self.noSecret ? nil : try store.secret(renewed: self.newSecret).text,
                allowedHosts: self.allowedHosts + settings.allowedHosts,
                allowedCrossOrigins: self.allowedSites + settings.allowedSites,
                eventLoopCount: given.eventLoopCount(for: configuration)
            ),
            output: self.output
        )
    }

    /// A line of `--json`.
    private struct ServedLine: Encodable {
        var name: String
        var origin: String
        var url: String
    }
}
