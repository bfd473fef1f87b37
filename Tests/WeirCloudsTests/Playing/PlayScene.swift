// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

/// A disk with short-lived links and tokens, and an account that is logged in.
///
/// The disk and the client share the test's clock.
struct PlayScene: Sendable {
    static let path = "/Music/song.mp3"
    /// The bytes of one second of the media.
    static let second: Int64 = 65_536

    let clock: ManualClock
    let server: YandexDiskServer
    let transport: WatchedTransport
    let storage: CloudStorage
    let store: MemoryTokenStore
    let events: Watched<[String]>

    /// - Parameters:
    ///   - seconds: the media's duration in seconds.
    ///   - linkLife: the life of a link in seconds.
    ///   - tokenLife: the life of a token in seconds.
    /// - Returns: the scene, with an empty record of requests.
    /// - Throws: any error of the set-up.
    static func make(
        seconds: Int64,
        linkLife: Double = 5,
        tokenLife: Double = 7
    ) async throws -> PlayScene {
        let clock = ManualClock()
        let start = clock.now
        let now: @Sendable () -> Double = {
            1_800_000_000 + start.duration(to: clock.now) / .seconds(1)
        }
        let server = YandexDiskServer(
            files: [Self.path: .pattern(length: seconds * Self.second)],
            behaviour: Behaviour(linkLife: linkLife, tokenLife: tokenLife),
            now: now
        )
        server.change { $0.cutsBodiesAtExpiry = true }
        try await server.start()
        let transport = try WatchedTransport()
        let retry = RetryPolicy(firstDelay: .zero, maximumDelay: .zero)
        // The clock advances while a response is on its way, so the timeouts are long. An abandoned refresh would
        // lose its new tokens.
        let hour = Duration.seconds(3_600)
        let timeouts = HTTPOrigin.Timeouts(connect: hour, firstByte: hour, idle: hour, slot: hour)
        let client = ServiceClient(
            transport: transport,
            timeouts: timeouts,
            retry: retry,
            clock: clock
        )
        let events = Watched<[String]>([])
        let observer: SourceObserver = { event in
            switch event {
            case .credentialRefreshed: events.update { $0.append("token") }
            case .linkRenewed: events.update { $0.append("link") }
            default: break
            }
        }
        let oauth = OAuthClient(
            endpoint: try OriginURL("\(server.oauthURL)/token"),
            client: client,
            now: { Int64(now()) }
        )
        let account = AccountID(service: "yandex", name: "me")
        let store = MemoryTokenStore([:])
        store.save(try await Self.logIn(server, oauth, transport), of: account)
        let service = YandexDisk(
            name: "yandex",
            credentials: OAuthCredential(
                account: account,
                store: store,
                client: oauth,
                now: { Int64(now()) },
                observer: observer
            ),
            api: try OriginURL("\(server.apiURL)/"),
            client: client,
            now: { Int64(now()) }
        )
        let storage = CloudStorage(
            service,
            options: HTTPOrigin.Options(timeouts: timeouts, retry: retry),
            transport: transport,
            clock: clock,
            observer: observer
        )
        server.clearRecord()
        return PlayScene(
            clock: clock,
            server: server,
            transport: transport,
            storage: storage,
            store: store,
            events: events
        )
    }

    /// The count of file bytes that the link host has sent in all responses.
    var sentBytes: Int64 {
        self.server.record.filter { $0.server == "link" && $0.status < 300 }.reduce(0) {
            $0 + $1.bodyBytesSent
        }
    }

    /// The count of requests to a server.
    func count(_ server: String, _ method: String = "GET") -> Int {
        self.server.record.filter { $0.server == server && $0.method == method }.count
    }

    /// Advances the clock by a second in steps; before each step, it waits until no request is pending.
    func pass() async throws {
        for _ in 0..<4 {
            for _ in 0..<50 { await Task.yield() }
            try await self.transport.pending.wait { $0 == 0 }
            self.clock.advance(by: .milliseconds(250))
        }
    }

    func end() async {
        await self.transport.base.shutdown()
        await self.server.shutdown()
    }

    /// Logs in as a browser and its user do.
    private static func logIn(
        _ server: YandexDiskServer,
        _ oauth: OAuthClient,
        _ transport: WatchedTransport
    ) async throws -> AccountTokens {
        let state = AuthorizationRequest.randomState()
        let request = AuthorizationRequest(
            endpoint: "\(server.oauthURL)/authorize",
            clientIdentifier: "weir-test-client",
            redirect: "http://127.0.0.1:9/callback",
            state: state
        )
        let answer = try await transport.send(
            HTTPTransportRequest(url: try OriginURL(request.url))
        )
        answer.body.cancel()
        let location = answer.headers["Location"] ?? ""
        let query = location.split(separator: "?", maxSplits: 1).last.map(String.init) ?? ""
        return try await oauth.tokens(
            for: try AuthorizationAnswer(query: query, state: state),
            to: request
        )
    }
}
