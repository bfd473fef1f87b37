// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization
import Testing
import WeirTestKit
import WeirTestServers

@Suite("A Yandex.Disk on sockets")
struct YandexDiskServerTests {
    private static let length: Int64 = 3_000_000

    private func server(_ faults: Fault...) -> YandexDiskServer {
        YandexDiskServer(
            files: ["disk:/a.mp3": .pattern(length: Self.length)],
            behaviour: Behaviour(faults: faults)
        )
    }

    private func get(
        _ url: String,
        _ fields: [String: String] = [:]
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: url)
        // Left to itself, this client asks for gzip, which is a violation.
        request.headers.add(name: "Accept-Encoding", value: "identity")
        for (name, value) in fields { request.headers.add(name: name, value: value) }
        return try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    }

    private func link(at server: YandexDiskServer) async throws -> String {
        let answer = try await self.get(
            "\(server.apiURL)/v1/disk/resources/download?path=disk:/a.mp3&fields=href",
            ["Authorization": "OAuth y0_weir-test-token"]
        )
        let text = String(buffer: try await answer.body.collect(upTo: 10_000))
        return String(text.dropFirst(#"{"href":""#.utf8.count).dropLast(2))
    }

    @Test("a file comes through its link, whole and in parts")
    func file() async throws {
        try await self.server().run { server in
            let link = try await self.link(at: server)
            let whole = try await self.get(link)
            let bytes = try await whole.body.collect(upTo: 10_000_000)
            #expect(PatternBytes.firstDifference(in: bytes.readableBytesView, at: 0) == nil)
            #expect(bytes.readableBytes == Int(Self.length))
            let part = try await self.get(link, ["Range": "bytes=2999990-"])
            #expect(part.status == .partialContent)
            #expect(try await part.body.collect(upTo: 100).readableBytes == 10)
            try await server.wait { $0.count == 3 && $0.allSatisfy(\.hasEnded) }
            #expect(server.record.map(\.server) == ["api", "link", "link"])
            #expect(server.record.map(\.bodyBytesSent).suffix(2) == [Self.length, 10])
            #expect(server.record[2].header("range") == "bytes=2999990-")
            #expect(server.violations.isEmpty)
        }
    }

    @Test("a body that is cut is short on the wire, and the next is whole")
    func cut() async throws {
        try await self.server(.once(.bodyCut, 100_000, at: .link)).run { server in
            let link = try await self.link(at: server)
            let short = try await self.get(link)
            var count = 0
            await #expect(throws: (any Error).self) {
                for try await chunk in short.body { count += chunk.readableBytes }
            }
            #expect(count <= 100_000)
            let whole = try await self.get(link)
            #expect(
                try await whole.body.collect(upTo: 10_000_000).readableBytes == Int(Self.length)
            )
        }
    }

    @Test("a link ends by the test's own clock")
    func time() async throws {
        let clock = Watched(1_720_000_000.0)
        let server = YandexDiskServer(
            files: ["a.mp3": .pattern(length: 10)],
            behaviour: Behaviour(linkLife: 5),
            now: { clock.value }
        )
        try await server.run { server in
            let link = try await self.link(at: server)
            #expect(try await self.get(link).status == .ok)
            clock.update { $0 += 5 }
            #expect(try await self.get(link).status == .gone)
        }
    }

    @Test("what is wrong is answered with 400 and noted")
    func violation() async throws {
        try await self.server().run { server in
            let link = try await self.link(at: server)
            let answer = try await self.get(link, ["Authorization": "OAuth y0_weir-test-token"])
            #expect(answer.status == .badRequest)
            #expect(
                server.violations == ["link: Authorization was sent to a host that is not the API."]
            )
            server.clearRecord()
            #expect(server.violations.isEmpty)
        }
    }

    @Test("switches and files change while it runs")
    func changes() async throws {
        try await self.server().run { server in
            server.behaviour.faults = [.once(.linkForbidden)]
            let link = try await self.link(at: server)
            #expect(try await self.get(link).status == .forbidden)
            server.set("/a.mp3", .text("new"))
            server.change { $0.linksFollowChanges = true }
            let answer = try await self.get(link)
            #expect(String(buffer: try await answer.body.collect(upTo: 100)) == "new")
        }
    }

    @Test("an answer that is lost ends its connection")
    func lost() async throws {
        try await self.server(.once(.answerLost, at: .link)).run { server in
            let link = try await self.link(at: server)
            await #expect(throws: (any Error).self) { try await self.get(link) }
            #expect(server.record.contains { $0.server == "link" && $0.bodyBytesSent == 0 })
        }
    }

    @Test("other programs look at the record and set the switches")
    func control() async throws {
        let server = self.server()
        try await server.start(withControl: true)
        let control = try #require(server.controlURL)
        var request = HTTPClientRequest(url: "\(control)/_behaviour")
        request.method = .POST
        request.body = .bytes(ByteBuffer(string: #"{"linkLife": 9}"#))
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
        #expect(answer.status == .ok)
        #expect(server.behaviour.linkLife == 9)
        let record = try await self.get("\(control)/_record")
        let text = String(buffer: try await record.body.collect(upTo: 10_000))
        #expect(text == #"{"record":[],"violations":[]}"#)
        await server.shutdown()
        await server.shutdown()
    }
}
