// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirTestKit

@Suite("Recorded requests of players", .timeLimit(.minutes(2)))
struct PlayerReplayTests {
    @Test("each gets the recorded answer, with the tags that players send back")
    func recordings() async throws {
        let lengths = Set(PlayerTrace.all.map(\.length))
        let sources = lengths.map { ("/\($0)", SparseSource(length: $0)) }
        try await TestProxy.run(Dictionary(uniqueKeysWithValues: sources)) { proxy in
            for trace in PlayerTrace.all { try await self.replay(trace, proxy) }
            let expected = PlayerTrace.all.reduce(0) { $0 + $1.requests.count }
            #expect(expected > 300)
            #expect(try await proxy.records(expected).count == expected)
        }
    }

    /// Uses a connection for each request, and closes it after the head, as the players do.
    private func replay(_ trace: PlayerTrace, _ proxy: TestProxy) async throws {
        let condition =
            switch trace.description.prefix(3) {
            case "vlc": "If-Match"
            case "chr": "If-Range"
            default: "X-None"
            }
        var tag: String?
        for request in trace.requests {
            var fields = ["User-Agent: player", "Icy-MetaData: 1"]
            if let range = request.range { fields.append("Range: \(range)") }
            if let tag { fields.append("\(condition): \(tag)") }
            let client = try await proxy.connect(receiveBuffer: 65_536)
            try await client.send(RawClient.request("/\(trace.length)", fields))
            let head = try await client.head()
            await client.close()
            let context = Comment("\(trace): \(request.range ?? "no range")")
            #expect(head.status == request.status, context)
            #expect(head["Accept-Ranges"] == "bytes", context)
            tag = head["ETag"]
            #expect(tag != nil, context)
            guard let sent = request.sent else {
                #expect(head["Content-Range"] == "bytes */\(trace.length)", context)
                #expect(head["Content-Length"] == "0", context)
                continue
            }
            #expect(head["Content-Length"] == "\(sent.count)", context)
            let contentRange = "bytes \(sent.lowerBound)-\(sent.upperBound - 1)/\(trace.length)"
            #expect(head["Content-Range"] == (request.status == 206 ? contentRange : nil), context)
        }
    }
}
