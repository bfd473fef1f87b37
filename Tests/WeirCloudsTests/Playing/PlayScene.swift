// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

/// A disk whose links and tokens end after seconds, an account that is logged in, and a time that passes when a test
/// says so, on both sides.
struct PlayScene: Sendable {
    static let path = "/Music/song.mp3"
    /// A second of the media.
    static let second: Int64 = 65_536

    let clock: ManualClock
    let server: YandexDiskServer
    let transport: WatchedTransport
    let storage: CloudStorage
    let store: MemoryTokenStore
    let events: Watched<[String]>

    /// - Parameters:
    ///   - seconds: how long the media is.
    ///   - linkLife: how long a link holds.
    ///   - tokenLife: how long a token holds.
    /// - Returns: the scene, with nothing recorded yet.
    /// - Throws: whatever goes wrong before it.
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
        // Of a clock that passes while an answer is on its way. One that is given up brings tokens that nobody else has.
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

    /// The bytes of the file that the link host has sent, over all answers.
    var sentBytes: Int64 {
        self.server.record.filter { $0.server == "link" && $0.status < 300 }.reduce(0) {
            $0 + $1.bodyBytesSent
        }
    }

    /// How many requests a server got.
    func count(_ server: String, _ method: String = "GET") -> Int {
        self.server.record.filter { $0.server == server && $0.method == method }.count
    }

    /// Lets a second pass, in steps; before each, what has been asked is answered, so that no time passes on the way.
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

    /// What a browser and a user do at the service.
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
