// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Synchronization
import Weir
import WeirConsole
import WeirProxy
import WeirSource

extension LineLogHandler.Form: DescribedArgument {
    static let forms = "text or json"

    init?(argument: String) { self.init(rawValue: argument) }
}

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve origins, folders, sources and radio stations; print the URL of each.",
        discussion: """
            Without an origin, weir serves each source of the configuration and each station of weir radio, under its \
            name. It serves every path below an origin under the printed URL, byte for byte. All players of a station \
            share one connection, which closes after the last player. The server runs until Ctrl-C (status 130), \
            SIGTERM or the end of its terminal (status 0); the fetched bytes are durable then. Without a terminal, \
            SIGHUP makes it read the configuration and the stations again. It then adds and removes sources without \
            interrupting players; the listening address and the cache do not change. weir sign makes URLs for one file \
            or folder that expire.

            For load balancers: /healthz answers 200 while the server runs. /readyz answers 200 while its cache is \
            also open, and 503 otherwise.

            A page at /page/ shows the held resources, the fetches and the players; weir open opens it. It has a \
            secret of its own: the media URLs do not open it. With --no-secret, it hides an origin's paths below \
            /page/, unless you pass --no-page.

            A service manager may pass the listening socket to it (LISTEN_FDS, as systemd does).

            The server uses as many open files as the system allows (the hard limit), and needs 128. It divides them \
            among players, data files and origins. It serves 1,024 players at a time, or 512 with 1,024 open files. \
            When another player connects, the server closes the connection that has been idle or paused longest; that \
            player continues with its next request.

            EXAMPLES
              weir serve https://cloud.example/music/ --header-env Authorization=TOKEN
              weir serve groove
              weir serve
            """
    )

    @Argument(
        help: .value(
            "origin",
            "A URL, a folder or file, NAME: of a source, or a station; without one, all sources and stations."
        ),
        completion: Completions.things
    )
    var origins: [String] = []

    @Option(
        help: .value(
            "host:port",
            "The address to listen on; port 0 takes a free port, and 0.0.0.0 or [::] also serves other machines."
                + " (default: 127.0.0.1:4747)"
        ),
        transform: ListenAddress.read
    )
    var listen: ListenAddress?

    @Flag(
        name: .customLong("no-secret"),
        help: "Serve without a secret in the path; on loopback only."
    )
    var noSecret = false

    @Flag(
        name: .customLong("new-secret"),
        help: "Make new secrets; existing media URLs and the page's URL become invalid."
    )
    var newSecret = false

    @Option(
        name: .customLong("allow-host"),
        help: .value("name", "A host name, besides those of loopback, for this server.")
    )
    var allowedHosts: [String] = []

    @Option(
        name: .customLong("allow-cross-origin"),
        help: .value("site", "A site whose pages may read the served media.")
    )
    var allowedSites: [String] = []

    @Flag(
        name: .customLong("no-page"),
        help: "Serve no page at /page/; weir open, top and stats then find no server."
    )
    var noPage = false

    @Option(
        name: .customLong("log"),
        help: .value(
            "form",
            "Write a line to standard error for each request, with its number: text or json."
        ),
        transform: LineLogHandler.Form.read
    )
    var logForm: LineLogHandler.Form?

    @Option(
        help: .value(
            "time",
            "How long responses may take to finish after SIGTERM, while the server accepts no new requests. (default:"
                + " 0s)"
        ),
        transform: TimeSpan.read
    )
    var drain: TimeSpan?

    @OptionGroup var options: MediaOptions

    func validate() throws {
        guard !(self.noSecret && self.newSecret) else {
            throw ValidationError("--no-secret and --new-secret exclude each other; leave one out.")
        }
    }

    func run() async throws {
        let signals = Signals().stream()
        let hasTerminal = TerminalMode.hasTerminal
        let output = self.options.output
        var stations = try StationList.read(ProgramEnvironment())
        let keys = ServedKeys()
        var session = try await self.session(stations, keys)
        try self.show(session)
        if !output.quiet, Output.isTerminal {
            Output.note(
                "Ctrl-C stops the server. ?m3u after a folder's URL returns a playlist."
            )
        }
        var ending = SIGTERM
        for await signal in signals {
            guard signal == SIGHUP, !hasTerminal else {
                ending = signal
                break
            }
            do {
                stations = try await self.readAnew(&session, stations, keys)
                try self.show(session)
            } catch {
                output.warn("warning: The served sources have not changed. \(error.ownerSentence)")
            }
        }
        try? session.page?.withdraw(from: ProgramEnvironment().configurationDirectory)
        let drain = self.drain ?? session.drain
        // After Ctrl-C, close without waiting for players.
        await session.close(grace: ending == SIGTERM ? drain?.duration ?? .zero : .zero)
        if !output.quiet { Output.note(session.summary) }
        if ending == SIGINT { throw ExitCode(ExitStatus.interrupted.rawValue) }
    }

    /// Reads the configuration and the stations again, and serves the sources and stations in them.
    ///
    /// An unchanged station keeps its connection.
    ///
    /// - Returns: the stations.
    private func readAnew(
        _ session: inout ServingSession,
        _ former: StationList,
        _ keys: ServedKeys
    ) async throws -> StationList {
        let settings = try MediaSettings(self.origins, self.options)
        try keys.read(settings)
        let stations = try StationList.read(settings.environment)
        let known = session.references
        let references = try await self.references(settings, session.library, stations)
            .settled(in: session.library)
        session.serve(
            references.map { reference in
                guard reference.station != nil, stations[reference.name] == former[reference.name],
                    let old = known.first(where: { $0.station != nil && $0.name == reference.name }
                    ),
                    old.display == reference.display
                else { return reference }
                return old
            }
        )
        return stations
    }

    /// The origins, sources and stations to serve.
    private func references(
        _ settings: MediaSettings,
        _ library: MediaLibrary,
        _ stations: StationList
    ) throws -> [MediaReference] {
        let resolver = MediaResolver(library: library, settings: settings, stations: stations)
        guard !self.origins.isEmpty else { return try resolver.all(note: Output.note) }
        return try self.origins.enumerated().map { index, text in
            try resolver.reference(text, name: index == 0 ? "origin" : "origin\(index + 1)")
        }
    }

    /// Prints the URL of each thing, and the URLs for other machines.
    private func show(_ session: ServingSession) throws {
        let output = self.options.output
        for reference in session.references {
            guard !output.json else {
                try Output.json(session.json(of: reference))
                continue
            }
            Output.print(session.url(of: reference))
            for name in session.names where !output.quiet {
                Output.note("  from other machines: \(session.url(of: reference, on: name))")
            }
        }
        if let page = session.page {
            if output.json {
                try Output.json(["event": "page", "url": page.text])
            } else if !output.quiet, Output.isTerminal {
                Output.note("The page: \(page.text)")
            }
        }
        guard !session.names.isEmpty else { return }
        output.warn(
            "warning: Anyone on your networks who knows such a URL can play the served media. The connections are not"
                + " encrypted, so others on the network can read them. weir serve --new-secret makes existing URLs"
                + " invalid."
        )
    }

    private func session(
        _ stations: StationList,
        _ keys: ServedKeys
    ) async throws -> ServingSession {
        var settings = try MediaSettings(self.origins, self.options)
        try settings.useTier()
        try keys.read(settings)
        let configured = settings.configuration.settings
        let inherited = try ListeningSocket.inherited(settings.environment)
        let address =
            try inherited?.address ?? self.listen ?? settings.environment.value("WEIR_LISTEN")
            ?? configured.listen ?? ListenAddress.standard
        let names = LocalNetwork.names(listeningOn: address)
        guard
            !self.origins.isEmpty || !settings.configuration.sources.isEmpty
                || !stations.stations.isEmpty
        else {
            throw CommandError.usage(
                "Nothing to serve: name an origin, such as https://cloud.example/music/, write sources into"
                    + " \(settings.configuration.file), or name stations with weir radio add."
            )
        }
        let folder = settings.environment.configurationDirectory
        let mediaSecret =
            self.noSecret ? nil : try ProxySecret.stored(in: folder, renewed: self.newSecret).text
        settings.libraryOptions.playlistSecret = mediaSecret.map { Array($0.utf8) }
        var proxy = ProxyConfiguration(
            host: address.host,
            port: address.port,
            secret: mediaSecret,
            allowedHosts: self.allowedHosts + configured.allowedHosts + names,
            allowedCrossOrigins: self.allowedSites + configured.allowedSites,
            eventLoopCount: settings.eventLoopCount
        )
        proxy.listeningSocket = inherited?.descriptor
        proxy.balancers = configured.balancers
        proxy.take(settings.configuration.limits)
        try DescriptorBudget(proxyLoopCount: proxy.eventLoopCount)
            .check(limit: OpenFileLimit.current)
        let known = self.newSecret ? nil : PageAddress.stored(in: folder)?.secret
        let secret = known ?? ProxySecret()
        let session: ServingSession
        do {
            session = try await ServingSession(
                settings,
                self.options.output,
                proxy: proxy,
                names: names,
                hasList: true,
                page: self.noPage || configured.page == false ? nil : secret,
                logging: try self.logForm ?? settings.environment.value("WEIR_LOG")
                    ?? configured.log,
                pass: keys
            ) { library in
                try self.references(settings, library, stations)
            }
        } catch let error as ProxyError where error.code == .portInUse {
            let sentence = await OccupiedPort(address: address)
                .sentence(PageAddress.all(in: folder))
            if let sentence { throw CommandError(.network, sentence) }
            throw error
        }
        do throws(SourceError) {
            try session.page?.store(in: folder)
        } catch {
            self.options.output.warn(
                "warning: weir cannot store the address of the page in \(folder), so weir open does not find it; make"
                    + " the folder writable."
            )
        }
        return session
    }
}

extension ProxyConfiguration {
    /// Takes the limits of a configuration.
    fileprivate mutating func take(_ limits: ConfiguredLimits) {
        if let connections = limits.connections { self.maximumConnections = connections }
        self.maximumConnectionsPerAddress = limits.clientConnections
        self.sendingLimits = SendingLimits(
            client: limits.clientRate?.bytes,
            all: limits.rate?.bytes
        )
    }
}

/// The keys for signed URLs, as the server last read them.
private final class ServedKeys: AddressPass {
    private let keys = Mutex<SigningKeys?>(nil)
    private let changes = Atomic(0)

    var revision: Int { self.changes.load(ordering: .acquiring) }

    /// Reads the keys again.
    ///
    /// - Throws: ``CommandError`` if the keys cannot be read; then the former keys stay.
    func read(_ settings: MediaSettings) throws {
        let keys = try SigningKeys.stored(
            in: settings.configuration.signingKeyFile(settings.environment)
        )
        let isOther = self.keys.withLock { former in
            defer { former = keys }
            return former.map { !$0.isSame(as: keys) } ?? false
        }
        if isOther { self.changes.add(1, ordering: .releasing) }
    }

    func ruling(on target: Substring) -> AddressRuling? {
        self.keys.withLock { $0 }?.ruling(on: target)
    }
}
