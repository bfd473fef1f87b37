// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirProxy

/// A library with a proxy in front of it, and what is told of both.
struct ServingSession {
    /// What is served.
    struct Plan {
        var libraryOptions: MediaLibrary.Options
        /// Makes what is served, once there is a library.
        var things: @Sendable (MediaLibrary) throws -> [ServedThing]
        var proxy: ProxyConfiguration
        var output: OutputOptions
    }

    let library: MediaLibrary
    let proxy: ProxyServer
    private let router: OriginRouter
    private let plan: Plan
    /// What is served.
    let things: [ServedThing]
    private let sent: SentBytes

    /// Opens the library and starts the proxy.
    ///
    /// - Throws: `CacheError`, `SourceError`, `ProxyError`, ``CommandError``.
    init(_ plan: Plan) async throws {
        var plan = plan
        plan.libraryOptions.observer = EventLine.observer(plan.output)
        DescriptorBudget(proxyLoopCount: plan.proxy.eventLoopCount)
            .apply(to: &plan.libraryOptions, &plan.proxy)
        let library = try MediaLibrary(plan.libraryOptions)
        let sent = SentBytes()
        do {
            let things = try plan.things(library)
            let isUnnamed = things.count == 1 && things[0].name == "origin"
            let router = OriginRouter(
                library: library,
                things: things,
                isNamed: plan.proxy.secret != nil || !isUnnamed
            )
            self.things = things
            self.router = router
            self.proxy = try await Self.startProxy(plan, router, counting: sent)
        } catch {
            await library.close()
            throw error
        }
        self.library = library
        self.plan = plan
        self.sent = sent
    }

    private static func startProxy(
        _ plan: Plan,
        _ router: OriginRouter,
        counting sent: SentBytes
    ) async throws -> ProxyServer {
        let isVerbose = plan.output.verbose
        let warn = plan.output.warn
        let warning = RefusedClientWarning(warn)
        func start(_ configuration: ProxyConfiguration) async throws(ProxyError) -> ProxyServer {
            try await ProxyServer.start(
                configuration,
                router: router,
                onRequest: { record in
                    sent.count(record)
                    if isVerbose { Output.note(RequestLine.text(record)) }
                },
                onEvent: { event in
                    switch event {
                    case .acceptingPaused(let reason): warn("warning: \(reason)")
                    case .clientRefused(let client): warning.refused(client)
                    }
                }
            )
        }
        do {
            return try await start(plan.proxy)
        } catch {
            guard error.code == .usersUnknown else { throw error }
        }
        // The player is started all the same: what is at stake is what another user of this machine may play.
        warn(RefusedClientWarning.unprotected)
        var configuration = plan.proxy
        configuration.admitsOnlySameUser = false
        return try await start(configuration)
    }

    /// The URL that a player is given for a thing.
    func url(of thing: ServedThing) -> String {
        let host = ListenAddress(host: self.plan.proxy.host, port: self.proxy.port).playerHost
        let secret = self.plan.proxy.secret.map { "/\($0)" } ?? ""
        return "http://\(host):\(self.proxy.port)\(secret)\(self.router.path(of: thing))"
    }

    /// What was asked, what came from the origin and what from the cache, in one line.
    var summary: String {
        let sent = self.sent.snapshot
        let origin = self.library.totals.snapshot
        let cached = max(0, sent.bytes - origin.receivedBytes)
        // Of a station nothing is in the cache, and what several players get comes once.
        let elsewhere = self.stations.isEmpty ? "from the cache" : "from the cache, or shared"
        return "asked: \(Self.count(sent.requests)), \(ByteSize.format(sent.bytes)); "
            + "from the origin: \(Self.count(origin.requests)), \(ByteSize.format(origin.receivedBytes)); "
            + "\(elsewhere): \(ByteSize.format(cached))"
    }

    private static func count(_ requests: Int) -> String {
        requests == 1 ? "1 request" : "\(requests) requests"
    }

    private var stations: [ServedStation] { self.things.compactMap(\.station) }

    /// Stops answering, leaves the stations, then makes everything durable.
    func close() async {
        await self.proxy.shutdown()
        for station in self.stations { await station.station.close() }
        await self.library.close()
    }
}
