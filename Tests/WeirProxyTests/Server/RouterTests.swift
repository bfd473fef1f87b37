// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("A router whose sources change", .timeLimit(.minutes(1)))
struct RouterTests {
    /// A router whose sources a test can replace.
    private struct ChangingRouter: ProxyRouter {
        let sources = Watched<[String: any ByteSource]>(["/a": MemorySource(bytes: [1])])

        func source(for target: String) -> (any ByteSource)? { self.sources.value[target] }
    }

    @Test("after a change the proxy serves the new answer")
    func changed() async throws {
        let router = ChangingRouter()
        try await TestProxy.run(router) { proxy in
            let client = try await proxy.connect()
            #expect(try await client.get("/a").body == [1])
            router.sources.update { $0["/a"] = MemorySource(bytes: [3]) }
            #expect(try await client.get("/a").body == [3])
            router.sources.update { $0["/a"] = nil }
            #expect(try await client.get("/a").status == 404)
        }
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
