// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

@Suite("A proxy without free descriptors", .timeLimit(.minutes(1)))
struct AcceptPauseTests {
    private func isReading(_ channel: any Channel) async throws -> Bool {
        try await channel.getOption(.autoRead).get()
    }

    @Test("stops accepting for a moment, closes idle connections, reports it once, and continues")
    func pause() async throws {
        let events = Watched<[ProxyEvent]>([])
        let server = try await ProxyServer.start(
            ProxyConfiguration(secret: nil),
            router: TestProxy.Router(sources: ["/a": MemorySource(bytes: [1])]),
            onEvent: { event in
                if case .requestFinished = event { return }
                events.update { $0.append(event) }
            }
        )
        let shortage = IOError(errnoCode: EMFILE, reason: "accept")
        for round in 0..<3 {
            let idle = try await RawClient.connect(to: server.port)
            #expect(try await idle.get("/a").body == [1])
            let wasReading = try await server.channel.eventLoop.submit {
                server.channel.pipeline.fireErrorCaught(shortage)
                return try server.channel.syncOptions?.getOption(.autoRead)
            }.get()
            #expect(wasReading == false)
            try await idle.waitForEnd()
            let next = try await RawClient.connect(to: server.port)
            #expect(try await next.get("/a").body == [1], "round \(round)")
            #expect(try await self.isReading(server.channel))
            await next.close()
        }
        #expect(events.value.count == 1)
        await server.shutdown()
    }

    @Test("continues after a while if there is no connection to close")
    func time() async throws {
        let server = try await ProxyServer.start(
            ProxyConfiguration(secret: nil),
            router: TestProxy.Router(sources: ["/a": MemorySource(bytes: [1])])
        )
        let wasReading = try await server.channel.eventLoop.submit {
            server.channel.pipeline.fireErrorCaught(IOError(errnoCode: ENFILE, reason: "accept"))
            return try server.channel.syncOptions?.getOption(.autoRead)
        }.get()
        #expect(wasReading == false)
        let client = try await RawClient.connect(to: server.port)
        #expect(try await client.get("/a").body == [1])
        await server.shutdown()
    }
}
