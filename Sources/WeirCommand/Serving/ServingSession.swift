// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirConsole
import WeirProxy

/// A library with a proxy in front of it.
struct ServingSession {
    let library: MediaLibrary
    let proxy: ProxyServer
    /// The names of this machine for other machines; empty if they cannot reach the server.
    let names: [String]
    private let router: MediaRouter
    /// How long active responses may take to finish, from the configuration.
    let drain: TimeSpan?
    /// The address of the page; `nil` without a page.
    let page: PageAddress?
    private let log: ServingLog
    private let events: ServingEvents
    private let configuration: ProxyConfiguration
    /// Stations that are no longer served, but may have listeners.
    private var left: [NamedStation] = []

    /// Opens the library and starts the proxy.
    ///
    /// - Parameters:
    ///   - settings: the settings of the library.
    ///   - output: the output options.
    ///   - configuration: the configuration of the proxy.
    ///   - names: the names of this machine for other machines.
    ///   - hasList: whether the root answers with a list of the references.
    ///   - secret: the secret of the page; `nil` for no page.
    ///   - form: the form of the request log; `nil` for no log.
    ///   - pass: admits signed URLs; `nil` for none.
    ///   - resolve: finds the references.
    /// - Throws: `CacheError`, `SourceError`, `ProxyError`, ``CommandError``.
    init(
        _ settings: MediaSettings,
        _ output: OutputOptions,
        proxy configuration: ProxyConfiguration,
        names: [String] = [],
        hasList: Bool = false,
        page secret: ProxySecret? = nil,
        logging form: LineLogHandler.Form? = nil,
        pass: (any AddressPass)? = nil,
        _ resolve: (MediaLibrary) throws -> [MediaReference]
    ) async throws {
        var configuration = configuration
        var options = settings.libraryOptions
        DescriptorBudget(
            proxyLoopCount: configuration.eventLoopCount,
            mostClients: configuration.maximumConnections
        )
        .apply(to: &options, &configuration)
        // With a page, this statement installs the metrics. It must precede the creation of the
        // library, which makes its counters.
        let events = ServingEvents(logging: form, isCounted: secret != nil)
        // A log contains the library's warnings, so do not print them as well.
        let observer = form == nil ? options.observer : nil
        options.observer = { event in
            observer?(event)
            events.observed(event)
        }
        let library = try MediaLibrary(options)
        let log = ServingLog(
            isVerbose: output.verbose,
            isJSON: output.json,
            namesPaths: hasList,
            events: events,
            warn: output.warn
        )
        do {
            let references = try await resolve(library).settled(in: library)
            let isUnnamed = references.count == 1 && references[0].name == "origin"
            let router = MediaRouter(
                library: library,
                events: events,
                references: references,
                isNamed: configuration.secret != nil || !isUnnamed,
                hasList: hasList
            )
            self.router = router
            let prefix = configuration.secret.map { "/\($0)" } ?? ""
            let proxy = StartedProxy()
            let console = secret.map { secret in
                Console(
                    ConsoleSubject(library, router, proxy, events, prefix: prefix),
                    secret: secret,
                    metrics: ProgramMetrics.registry,
                    events: events.list,
                    version: WeirCommand.version
                )
            }
            self.proxy = try await Self.startProxy(
                configuration,
                router,
                console,
                pass,
                log,
                output.warn
            )
            proxy.server = self.proxy
        } catch {
            await library.close()
            throw error
        }
        self.library = library
        self.names = names
        self.drain = settings.configuration.settings.drain
        self.log = log
        self.events = events
        self.configuration = configuration
        let host = ListenAddress(host: configuration.host, port: self.proxy.port).playerHost
        let port = self.proxy.port
        self.page = secret.map { PageAddress(url: "http://\(host):\(port)/page/", secret: $0) }
        self.stations.forEach(events.follow)
    }

    private static func startProxy(
        _ configuration: ProxyConfiguration,
        _ router: MediaRouter,
        _ console: Console?,
        _ pass: (any AddressPass)?,
        _ log: ServingLog,
        _ warn: @Sendable (String) -> Void
    ) async throws -> ProxyServer {
        func start(_ configuration: ProxyConfiguration) async throws(ProxyError) -> ProxyServer {
            try await ProxyServer.start(
                configuration,
                router: router,
                pages: console,
                pass: pass,
                onEvent: log.told
            )
        }
        do {
            return try await start(configuration)
        } catch {
            guard error.code == .usersUnknown else { throw error }
        }
        // Start without the check: at worst, another user of this machine can play the medium.
        warn(ServingLog.unprotected)
        var unprotected = configuration
        unprotected.admitsOnlySameUser = false
        return try await start(unprotected)
    }

    /// The served media and stations.
    var references: [MediaReference] { self.router.references }

    /// Serves other media and stations from now on; a station in both sets keeps its connection.
    ///
    /// Active readers of removed media continue. A removed station ends with its last listener.
    mutating func serve(_ references: [MediaReference]) {
        // The player now has a URL of a folder, so messages must name the failed file.
        self.log.namesPaths = true
        let stations = self.stations
        self.router.references = references
        let kept = self.stations
        self.left += stations.filter { old in !kept.contains { $0.station === old.station } }
        kept.filter { new in !stations.contains { $0.station === new.station } }
            .forEach(self.events.follow)
    }

    /// The URL of a reference for a player; with `name`, for a player on another machine.
    func url(of reference: MediaReference, on name: String? = nil) -> String {
        let address = ListenAddress(host: self.configuration.host, port: self.proxy.port)
        let host = name.map(ListenAddress.urlHost) ?? address.playerHost
        let secret = self.configuration.secret.map { "/\($0)" } ?? ""
        return "http://\(host):\(self.proxy.port)\(secret)\(self.router.path(of: reference))"
    }

    /// A reference and its URL, as `--json` prints it.
    func json(of reference: MediaReference, at url: String? = nil) -> JSON {
        let elsewhere = self.names.map { self.url(of: reference, on: $0) }
        return [
            "event": "served", "name": reference.name, "origin": reference.display,
            "url": url ?? self.url(of: reference), "elsewhere": elsewhere.isEmpty ? nil : elsewhere,
        ]
    }

    /// One line with the totals of the session.
    ///
    /// For players: the requests and the sent bytes. For origins: the requests and the received
    /// bytes. For the cache: the sent bytes that it already held.
    var summary: String {
        let sent = self.log.counts
        let origin = self.library.totals.snapshot
        return "players: \(Self.count(sent.requests)), \(ByteSize.format(sent.bytes)); "
            + "origins: \(Self.count(origin.requests)), \(ByteSize.format(origin.receivedBytes)); "
            + "from the cache: \(ByteSize.format(sent.heldByteCount))"
    }

    private static func count(_ requests: Int) -> String {
        requests == 1 ? "1 request" : "\(requests) requests"
    }

    private var stations: [NamedStation] { self.references.compactMap(\.station) }

    /// Stops the proxy, closes the stations, then closes the library, which stores all data
    /// durably.
    ///
    /// - Parameter grace: how long active responses may take to finish; the proxy accepts no new
    ///   requests meanwhile.
    func close(grace: Duration = .zero) async {
        await self.proxy.shutdown(gracePeriod: grace)
        for station in self.stations + self.left { await station.station.close() }
        await self.library.close()
    }
}

/// The proxy, once it has started; the console needs the proxy, but is created first.
private final class StartedProxy: Sendable {
    private let state = Mutex<ProxyServer?>(nil)

    var server: ProxyServer? {
        get { self.state.withLock { $0 } }
        set { self.state.withLock { $0 = newValue } }
    }
}

extension ConsoleSubject {
    fileprivate init(
        _ library: MediaLibrary,
        _ router: MediaRouter,
        _ proxy: StartedProxy,
        _ events: ServingEvents,
        prefix: String
    ) {
        self.init(
            library: library,
            places: {
                router.references.filter { $0.station == nil }.map { reference in
                    ConsoleState.Place(
                        name: reference.name,
                        source: reference.display,
                        url: "\(prefix)\(router.path(of: reference))"
                    )
                }
            },
            stations: {
                router.references.compactMap { reference in
                    reference.station.map { station in
                        ShownStation(
                            name: station.name,
                            station: station.station,
                            path: "\(prefix)\(router.path(of: reference))"
                        )
                    }
                }
            },
            responses: { await proxy.server?.activeResponses() ?? [] },
            identify: { router.identity(of: $0) },
            path: { resource in router.path(of: resource).map { "\(prefix)\($0)" } },
            media: { router.media(of: $0) },
            trouble: { events.cacheTrouble }
        )
    }
}
