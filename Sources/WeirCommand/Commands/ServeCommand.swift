// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Weir
import WeirProxy

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
            origins, and needs 128 of them. 1,024 players have a place at a time, 512 with 1,024 open files; when another one asks, the one that has \
            been idle or paused longest is closed, and goes on with its next request.

            EXAMPLES
              weir serve https://cloud.example/music/ --header-env Authorization=TOKEN
              weir serve groove
              weir serve
            """
    )

    @Argument(
        help: .value(
            "origin",
            "A URL, a folder or file, NAME: of a source, or a station; none for all sources and stations."
        )
    )
    var origins: [String] = []

    @Option(
        help: .value(
            "host:port",
            "Where to listen; port 0 takes a free one. (default: 127.0.0.1:4747)"
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
        help: .value("name", "A name beside those of loopback that a player may call this server.")
    )
    var allowedHosts: [String] = []

    @Option(
        name: .customLong("allow-cross-origin"),
        help: .value("site", "A site whose pages may read what is served.")
    )
    var allowedSites: [String] = []

    @OptionGroup var options: MediaOptions

    func validate() throws {
        guard !(self.noSecret && self.newSecret) else {
            throw ValidationError("--no-secret and --new-secret exclude each other; leave one out.")
        }
    }

    func run() async throws {
        let signals = Signals().stream()
        let output = self.options.output
        let session = try await self.session()
        for reference in session.references {
            let url = session.url(of: reference)
            if output.json {
                try Output.json(["name": reference.name, "origin": reference.display, "url": url])
            } else {
                Output.print(url)
            }
        }
        if !output.quiet, Output.isTerminal { Output.note("Ctrl-C ends it.") }
        var ending = SIGTERM
        for await signal in signals {
            ending = signal
            break
        }
        await session.close()
        if !output.quiet { Output.note(session.summary) }
        if ending == SIGINT { throw ExitCode(ExitStatus.interrupted.rawValue) }
    }

    private func session() async throws -> ServingSession {
        let settings = try MediaSettings(self.origins, self.options)
        let configured = settings.configuration.settings
        let address =
            try self.listen ?? settings.environment.value("WEIR_LISTEN")
            ?? configured.listen ?? ListenAddress.standard
        let origins = self.origins
        let stations = try StationList.read(settings.environment)
        guard
            !origins.isEmpty || !settings.configuration.sources.isEmpty
                || !stations.stations.isEmpty
        else {
            throw CommandError.usage(
                "Nothing to serve: name an origin, such as https://cloud.example/music/, write sources into"
                    + " \(settings.configuration.file), or name stations with weir radio add."
            )
        }
        let folder = settings.environment.configurationDirectory
        let proxy = ProxyConfiguration(
            host: address.host,
            port: address.port,
            secret: self.noSecret
                ? nil : try ProxySecret.stored(in: folder, renewed: self.newSecret).text,
            allowedHosts: self.allowedHosts + configured.allowedHosts,
            allowedCrossOrigins: self.allowedSites + configured.allowedSites,
            eventLoopCount: settings.eventLoopCount
        )
        try DescriptorBudget(proxyLoopCount: proxy.eventLoopCount)
            .check(limit: OpenFileLimit.current)
        return try await ServingSession(settings, self.options.output, proxy: proxy) { library in
            let resolver = settings.resolver(library, stations: stations)
            guard !origins.isEmpty else { return try resolver.all(note: Output.note) }
            return try origins.enumerated().map { index, text in
                try resolver.reference(text, name: index == 0 ? "origin" : "origin\(index + 1)")
            }
        }
    }
}
