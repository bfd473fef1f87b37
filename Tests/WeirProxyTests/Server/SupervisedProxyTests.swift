// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

@Suite("A supervised proxy", .timeLimit(.minutes(1)))
struct SupervisedProxyTests {
    private static let router = TestProxy.Router(
        sources: ["/a.mp3": MemorySource(bytes: [1, 2, 3])]
    )

    /// Starts a proxy, and returns it with the records of its requests.
    ///
    /// By default a slow machine does not count as silent.
    private static func start(
        mayChangePort: Bool = true,
        answerLimit: Duration = .seconds(60)
    ) async throws -> (SupervisedProxy, Watched<[ProxyRequestRecord]>) {
        let records = Watched<[ProxyRequestRecord]>([])
        let proxy = try await SupervisedProxy.start(
            ProxyConfiguration(),
            router: Self.router,
            policy: RevivalPolicy(answerLimit: answerLimit, mayChangePort: mayChangePort),
            onEvent: { event in
                guard case .requestFinished(let record) = event else { return }
                records.update { $0.append(record) }
            }
        )
        return (proxy, records)
    }

    /// The bytes that a player gets from a base URL at a port.
    private static func play(_ baseURL: String, at port: Int) async throws -> [UInt8] {
        let path = baseURL.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        let client = try await RawClient.connect(to: port)
        let response = try await client.get("\(path)/a.mp3")
        await client.close()
        return response.body
    }

    private static func failure(of proxy: SupervisedProxy) async -> ProxyError.Code? {
        do throws(ProxyError) {
            try await proxy.checked()
            return nil
        } catch {
            return error.code
        }
    }

    @Test("that answers keeps its server")
    func alive() async throws {
        let (proxy, _) = try await Self.start()
        let server = proxy.server
        #expect(try await proxy.checked() === server)
        #expect(try await proxy.checked() === server)
        #expect(proxy.baseURL == server.baseURL)
        await proxy.shutdown()
    }

    @Test("whose socket has died returns on its port with its secret, and plays")
    func revived() async throws {
        let (proxy, _) = try await Self.start()
        let address = proxy.baseURL
        for _ in 0..<3 {
            let dead = proxy.server
            try await dead.channel.close()
            let server = try await proxy.checked()
            #expect(server !== dead)
            #expect(proxy.server === server)
            #expect(server.baseURL == address)
            #expect(try await Self.play(address, at: server.port) == [1, 2, 3])
        }
        await proxy.shutdown()
    }

    @Test("whose port was taken meanwhile takes another one, and reports it")
    func moved() async throws {
        let (proxy, _) = try await Self.start()
        let told = Watched<[String]>([])
        let changes = proxy.baseURLChanges()
        // The task ends with the stream of changes, when the test shuts the proxy down.
        let listening = Task { for await change in changes { told.update { $0.append(change) } } }
        let (address, port) = (proxy.baseURL, proxy.server.port)
        try await told.wait { $0 == [address] }
        try await proxy.server.channel.close()
        try await TestProxy.run([:], ProxyConfiguration(port: port)) { _ in
            let server = try await proxy.checked()
            #expect(server.port != port)
            #expect(server.baseURL != address)
            try await told.wait { $0 == [address, server.baseURL] }
            #expect(try await Self.play(server.baseURL, at: server.port) == [1, 2, 3])
            // The secret is the same, and the proxy keeps the new port.
            #expect(server.baseURL.hasSuffix(String(address.suffix(33))))
            try await server.channel.close()
            #expect(try await proxy.checked().baseURL == server.baseURL)
        }
        await proxy.shutdown()
        await listening.value
        #expect(told.value.count == 2)
    }

    @Test("that must not change its port stays dead until the port is free")
    func patient() async throws {
        let (proxy, _) = try await Self.start(mayChangePort: false)
        let (address, port) = (proxy.baseURL, proxy.server.port)
        try await proxy.server.channel.close()
        try await TestProxy.run([:], ProxyConfiguration(port: port)) { _ in
            #expect(await Self.failure(of: proxy) == .portInUse)
            #expect(await Self.failure(of: proxy) == .portInUse)
        }
        #expect(try await proxy.checked().baseURL == address)
        #expect(try await Self.play(address, at: port) == [1, 2, 3])
        await proxy.shutdown()
    }

    @Test("gets one question for all checks at the same time")
    @MainActor
    func shared() async throws {
        let (proxy, records) = try await Self.start()
        let server = proxy.server
        try await server.channel.setOption(.autoRead, value: false).get()
        let begun = Watched(0)
        let checks = (0..<16).map { _ in
            Task { @MainActor in
                begun.update { $0 += 1 }
                // The code runs on the main actor until it waits for the check.
                return try await proxy.checked()
            }
        }
        try await begun.wait { $0 == 16 }
        try await server.channel.setOption(.autoRead, value: true).get()
        for check in checks { #expect(try await check.value === server) }
        try await records.wait { !$0.isEmpty }
        #expect(records.value.count == 1)
        // The next check sends a new request.
        try await proxy.checked()
        try await records.wait { $0.count == 2 }
        await proxy.shutdown()
    }

    @Test("that is dead is started once for all checks at the same time")
    func sharedRevival() async throws {
        let (proxy, _) = try await Self.start()
        let (dead, address) = (proxy.server, proxy.baseURL)
        try await dead.channel.close()
        let servers = try await withThrowingTaskGroup { group in
            for _ in 0..<16 { group.addTask { try await proxy.checked() } }
            return try await group.reduce(into: [ProxyServer]()) { $0.append($1) }
        }
        #expect(Set(servers.map(ObjectIdentifier.init)).count == 1)
        #expect(servers[0] !== dead)
        #expect(servers[0].baseURL == address)
        await proxy.shutdown()
    }

    @Test("that was shut down is not started again")
    func ended() async throws {
        let (proxy, _) = try await Self.start()
        let server = proxy.server
        await proxy.shutdown()
        await proxy.shutdown()
        #expect(await Self.failure(of: proxy) == .shutDown)
        #expect(proxy.server === server)
        #expect(await !server.isAnswering())
        var told: [String] = []
        for await address in proxy.baseURLChanges() { told.append(address) }
        #expect(told == [server.baseURL])
        // The port is free again.
        try await TestProxy.run([:], ProxyConfiguration(port: server.port)) { _ in }
    }

    @Test("that is shut down during a check does not return")
    func endedMeanwhile() async throws {
        let (proxy, _) = try await Self.start(answerLimit: .seconds(2))
        let server = proxy.server
        try await server.channel.setOption(.autoRead, value: false).get()
        let check = Task { await Self.failure(of: proxy) }
        await proxy.shutdown()
        #expect(await check.value == .shutDown)
        #expect(await !proxy.server.isAnswering())
        try await TestProxy.run([:], ProxyConfiguration(port: server.port)) { _ in }
    }

    @Test("uses a free port only if its own is in use and the policy allows it")
    func policy() {
        let (free, fixed) = (RevivalPolicy(), RevivalPolicy(mayChangePort: false))
        #expect(free.nextPort(after: 4747, failedWith: .portInUse) == 0)
        #expect(free.nextPort(after: 0, failedWith: .portInUse) == nil)
        #expect(free.nextPort(after: 4747, failedWith: .cannotListen) == nil)
        #expect(fixed.nextPort(after: 4747, failedWith: .portInUse) == nil)
    }
}
