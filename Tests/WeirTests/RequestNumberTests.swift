// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirProxy
import WeirSource
import WeirTestKit

/// A player's request and the origin requests that it causes have the same number.
@Suite("The numbers of requests", .timeLimit(.minutes(1)))
struct RequestNumberTests {
    /// The media of a library behind a proxy, and the events of both.
    private struct Scene {
        let origin: LibraryScene
        let library: MediaLibrary
        let proxy: ProxyServer
        /// The number of each request to the origin; `nil` for a request without a number.
        let asked: Watched<[ConnectionRequestID?]>
        /// The numbers of all other events.
        let others: Watched<Set<ConnectionRequestID?>>
        let records: Watched<[ProxyRequestRecord]>
    }

    private struct Router: ProxyRouter {
        let media: [String: Media]

        func source(for target: String) -> (any ByteSource)? { self.media[target] }
    }

    private func with(_ test: (Scene) async throws -> Void) async throws {
        let origin = try await LibraryScene(ScriptedResource(length: 400_000))
        let asked = Watched<[ConnectionRequestID?]>([])
        let others = Watched<Set<ConnectionRequestID?>>([])
        let records = Watched<[ProxyRequestRecord]>([])
        let library = try origin.library { configuration in
            configuration.load.readAhead = 64 << 10
            configuration.observer = { event in
                let id = ClientRequest.current?.id
                if case .requested = event {
                    asked.update { $0.append(id) }
                } else {
                    others.update { _ = $0.insert(id) }
                }
            }
        }
        let media = try ["/a", "/b"].map { ($0, try library.media(origin.url("\($0).mp3"))) }
        let proxy = try await ProxyServer.start(
            ProxyConfiguration(secret: nil),
            router: Router(media: Dictionary(uniqueKeysWithValues: media)),
            onEvent: { event in
                if case .requestFinished(let record) = event {
                    records.update { $0.append(record) }
                }
            }
        )
        var failure: (any Error)?
        do {
            try await test(
                Scene(
                    origin: origin,
                    library: library,
                    proxy: proxy,
                    asked: asked,
                    others: others,
                    records: records
                )
            )
        } catch { failure = error }
        await proxy.shutdown()
        await library.close()
        await origin.stop()
        if let failure { throw failure }
    }

    @Test("a request to an origin has the number of the player's request that causes it")
    func caused() async throws {
        try await self.with { scene in
            for target in ["/a", "/b"] {
                let answer = try await PlainClient.ask(scene.proxy.port, target)
                #expect(answer.status == 200)
                #expect(answer.body.count == 400_000)
            }
            try await scene.records.wait { $0.count == 2 }
            let ids = scene.records.value.map(\.id)
            #expect(Set(ids).count == 2)
            #expect(Set(scene.asked.value) == Set(ids))
            // The events of the origin's responses have the same numbers.
            #expect(scene.others.value == Set(ids))
            #expect(scene.records.value.map(\.content) == [.fetched, .fetched])
        }
    }

    @Test("held bytes cause no request, and reading without a proxy has no number")
    func held() async throws {
        try await self.with { scene in
            _ = try await PlainClient.ask(scene.proxy.port, "/a")
            let count = scene.asked.value.count
            let again = try await PlainClient.ask(scene.proxy.port, "/a")
            #expect(again.status == 200)
            #expect(scene.asked.value.count == count)
            try await scene.records.wait { $0.count == 2 }
            #expect(scene.records.value.map(\.content) == [.fetched, .held])
            let media = try scene.library.media(scene.origin.url("/c.mp3"))
            _ = try await LibraryScene.bytes(media)
            #expect(scene.asked.value.count > count)
            #expect(scene.asked.value.suffix(from: count).allSatisfy { $0 == nil })
        }
    }

    @Test("a fetch that several requests share has the number of the first one")
    func shared() async throws {
        try await self.with { scene in
            let gate = scene.origin.origin.hold(before: 16_384)
            let first = try await PlainClient.connect(to: scene.proxy.port)
            try await first.send("/a")
            try await gate.waitForWaiters(1)
            let second = try await PlainClient.connect(to: scene.proxy.port)
            try await second.send("/a")
            gate.open()
            _ = try await first.response()
            _ = try await second.response()
            try await scene.records.wait { $0.count == 2 }
            let numbers = Set(scene.asked.value.compactMap { $0?.connection })
            #expect(!numbers.isEmpty)
            #expect(numbers.isSubset(of: scene.records.value.map(\.id.connection)))
            let begun = try #require(scene.asked.value.first ?? nil)
            #expect(begun.connection == scene.records.value.map(\.id.connection).min())
        }
    }

    @Test("a number shows the connection and the request on it")
    func text() {
        #expect("\(ConnectionRequestID(connection: 12, request: 3))" == "12-3")
        #expect(ClientRequest.current == nil)
    }
}
