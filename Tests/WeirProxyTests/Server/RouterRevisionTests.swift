// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("The number of questions to a router", .timeLimit(.minutes(1)))
struct RouterRevisionTests {
    /// A router that records its requests, and whose sources a test can replace.
    private final class CountingRouter: ProxyRouter {
        struct State: Sendable {
            var sources: [String: any ByteSource] = [
                "/a": MemorySource(bytes: [1]), "/b": MemorySource(bytes: [2]),
            ]
            var revision: Int?
            var asked: [String] = []
        }

        let state: Watched<State>

        init(revision: Int?) {
            self.state = Watched(State(revision: revision))
        }

        var revision: Int? { self.state.value.revision }
        var asked: [String] { self.state.value.asked }

        func source(for target: String) -> (any ByteSource)? {
            self.state.update { state in
                state.asked.append(target)
                return state.sources[target]
            }
        }
    }

    @Test("successive requests for one target ask once, on each connection")
    func inARow() async throws {
        let router = CountingRouter(revision: 7)
        try await TestProxy.run(router) { proxy in
            for count in 1...2 {
                let client = try await proxy.connect()
                for range in ["bytes=0-", "bytes=0-0", "bytes=5-"] {
                    _ = try await client.get("/a", ["Range: \(range)"])
                }
                #expect(router.asked == Array(repeating: "/a", count: count))
            }
        }
    }

    @Test("another target asks again, and so does the first one when it returns")
    func alternating() async throws {
        let router = CountingRouter(revision: 7)
        try await TestProxy.run(router) { proxy in
            let client = try await proxy.connect()
            for target in ["/a", "/a", "/b", "/b", "/a"] {
                #expect(try await client.get(target).body == [target == "/a" ? 1 : 2])
            }
        }
        #expect(router.asked == ["/a", "/b", "/a"])
    }

    @Test("after a change the proxy asks again, and serves the new answer")
    func changed() async throws {
        let router = CountingRouter(revision: 7)
        try await TestProxy.run(router) { proxy in
            let client = try await proxy.connect()
            #expect(try await client.get("/a").body == [1])
            router.state.update { state in
                state.sources["/a"] = MemorySource(bytes: [3])
                state.revision = 8
            }
            #expect(try await client.get("/a").body == [3])
            #expect(try await client.get("/a").body == [3])
            router.state.update { state in
                state.sources["/a"] = nil
                state.revision = 9
            }
            #expect(try await client.get("/a").status == 404)
        }
        #expect(router.asked == ["/a", "/a", "/a"])
    }

    @Test("the answer that there is no source is not kept")
    func absent() async throws {
        let router = CountingRouter(revision: 7)
        try await TestProxy.run(router) { proxy in
            let client = try await proxy.connect()
            for _ in 0..<2 { #expect(try await client.get("/c").status == 404) }
        }
        #expect(router.asked == ["/c", "/c"])
    }

    @Test("a router without a revision is asked for every request")
    func none() async throws {
        let router = CountingRouter(revision: nil)
        try await TestProxy.run(router) { proxy in
            let client = try await proxy.connect()
            #expect(try await client.get("/a").body == [1])
            router.state.update { $0.sources["/a"] = MemorySource(bytes: [3]) }
            #expect(try await client.get("/a").body == [3])
        }
        #expect(router.asked == ["/a", "/a"])
    }

    @Test("a source that a media proxy has withdrawn is gone on older connections, too")
    func withdrawn() async throws {
        let proxy = try await MediaProxy.start()
        let song = MemorySource(bytes: [1, 2, 3], mediaType: .mpegAudio, name: "a.mp3")
        let url = try await proxy.publish(song)
        let path = url.path(percentEncoded: true)
        let client = try await RawClient.connect(to: proxy.port)
        #expect(try await client.get(path).status == 200)
        #expect(try await client.get(path).status == 200)
        proxy.withdraw(url)
        #expect(try await client.get(path).status == 404)
        await client.close()
        await proxy.close()
    }
}
