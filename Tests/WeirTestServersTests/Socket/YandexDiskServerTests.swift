// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirHTTP
import WeirNIOTransport
import WeirSource
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

    /// A response whose body the test pulls.
    private struct Answer {
        let status: Int
        let body: any HTTPBody

        /// The whole body.
        func bytes() async throws -> [UInt8] {
            var bytes: [UInt8] = []
            while let piece = try await self.body.next() { bytes += piece.array }
            return bytes
        }
    }

    private static let transport = Result { try NIOTransport(.init(proxies: ProxySettings.none)) }

    private func get(_ url: String, _ fields: [String: String] = [:]) async throws -> Answer {
        var headers = HTTPHeaderList([try HTTPHeader(name: "Accept-Encoding", value: "identity")])
        for (name, value) in fields { headers.append(try HTTPHeader(name: name, value: value)) }
        let response = try await Self.transport.get().send(
            HTTPTransportRequest(url: try OriginURL(url), headers: headers)
        )
        return Answer(status: response.status, body: response.body)
    }

    private func link(at server: YandexDiskServer) async throws -> String {
        let answer = try await self.get(
            "\(server.apiURL)/v1/disk/resources/download?path=disk:/a.mp3&fields=href",
            ["Authorization": "OAuth y0_weir-test-token"]
        )
        let text = String(decoding: try await answer.bytes(), as: UTF8.self)
        return String(text.dropFirst(#"{"href":""#.utf8.count).dropLast(2))
    }

    @Test("a link leads to its file, whole and in parts")
    func file() async throws {
        try await self.server().run { server in
            let link = try await self.link(at: server)
            let whole = try await self.get(link)
            let bytes = try await whole.bytes()
            #expect(PatternBytes.firstDifference(in: bytes, at: 0) == nil)
            #expect(bytes.count == Int(Self.length))
            let part = try await self.get(link, ["Range": "bytes=2999990-"])
            #expect(part.status == 206)
            #expect(try await part.bytes().count == 10)
            try await server.wait { $0.count == 3 && $0.allSatisfy(\.hasEnded) }
            #expect(server.record.map(\.server) == ["api", "link", "link"])
            #expect(server.record.map(\.bodyBytesSent).suffix(2) == [Self.length, 10])
            #expect(server.record[2].header("range") == "bytes=2999990-")
            #expect(server.violations.isEmpty)
        }
    }

    @Test("a body that is cut is short on the wire, and the next one is whole")
    func cut() async throws {
        try await self.server(.once(.bodyCut, 100_000, at: .link)).run { server in
            let link = try await self.link(at: server)
            let short = try await self.get(link)
            var count = 0
            await #expect(throws: (any Error).self) {
                while let piece = try await short.body.next() { count += piece.count }
            }
            #expect(count <= 100_000)
            let whole = try await self.get(link)
            #expect(
                try await whole.bytes().count == Int(Self.length)
            )
        }
    }

    @Test("a link expires by the test's own clock")
    func time() async throws {
        let clock = Watched(1_720_000_000.0)
        let server = YandexDiskServer(
            files: ["a.mp3": .pattern(length: 10)],
            behaviour: Behaviour(linkLife: 5),
            now: { clock.value }
        )
        try await server.run { server in
            let link = try await self.link(at: server)
            #expect(try await self.get(link).status == 200)
            clock.update { $0 += 5 }
            #expect(try await self.get(link).status == 410)
        }
    }

    @Test("a wrong request gets a 400 and is recorded")
    func violation() async throws {
        try await self.server().run { server in
            let link = try await self.link(at: server)
            let answer = try await self.get(link, ["Authorization": "OAuth y0_weir-test-token"])
            #expect(answer.status == 400)
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
            #expect(try await self.get(link).status == 403)
            server.set("/a.mp3", .text("new"))
            server.change { $0.linksFollowChanges = true }
            let answer = try await self.get(link)
            #expect(String(decoding: try await answer.bytes(), as: UTF8.self) == "new")
        }
    }

    @Test("a lost answer ends its connection")
    func lost() async throws {
        try await self.server(.once(.answerLost, at: .link)).run { server in
            let link = try await self.link(at: server)
            await #expect(throws: (any Error).self) { try await self.get(link) }
            #expect(server.record.contains { $0.server == "link" && $0.bodyBytesSent == 0 })
        }
    }

    @Test("other programs read the record and set the switches")
    func control() async throws {
        let server = self.server()
        try await server.start(withControl: true)
        let control = try #require(server.controlURL)
        let answer = try await Self.transport.get().send(
            HTTPTransportRequest(
                url: try OriginURL("\(control)/_behaviour"),
                method: "POST",
                body: Array(#"{"linkLife": 9}"#.utf8)
            )
        )
        #expect(answer.status == 200)
        #expect(server.behaviour.linkLife == 9)
        let record = try await self.get("\(control)/_record")
        let text = String(decoding: try await record.bytes(), as: UTF8.self)
        #expect(text == #"{"record":[],"violations":[]}"#)
        await server.shutdown()
        await server.shutdown()
    }
}
