// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers
import WeirURLSession

@Suite("An answer over URLSession", .timeLimit(.minutes(1)))
struct AnswerTests {
    private static func answer(_ head: String, _ body: String = "hello")
        -> [ScriptedServer.Step]
    {
        [.text("HTTP/1.1 \(head)\r\n\r\n\(body)")]
    }

    @Test("keeps status, fields and bytes, and says whether its end is proven")
    func keepsItAll() async throws {
        try await Rig.with { request in
            switch request.target {
            case "/counted": Self.answer("404 No\r\nX-A: 1\r\nContent-Length: 5")
            case "/chunked":
                Self.answer("206 P\r\nTransfer-Encoding: chunked", "5\r\nhello\r\n0\r\n\r\n")
            default: Self.answer("200 OK") + [.close]
            }
        } _: { rig in
            for (target, status, isProven) in [
                ("/counted", 404, true), ("/chunked", 206, true), ("/close", 200, false),
            ] {
                let answer = try await rig.send(target)
                #expect(answer.status == status)
                #expect(answer.isEndProven == isProven)
                #expect(answer.headers["x-a"] == (target == "/counted" ? "1" : nil))
                #expect(try await answer.body.collect() == Array("hello".utf8))
            }
        }
    }

    @Test("that redirects is given to the caller", arguments: [301, 302, 303, 307, 308])
    func redirects(_ status: Int) async throws {
        try await Rig.with { request in
            request.target == "/away"
                ? Self.answer("\(status) Away\r\nLocation: /there?a=%5B\r\nContent-Length: 5")
                : Self.answer("200 OK\r\nContent-Length: 5")
        } _: { rig in
            let answer = try await rig.send("/away")
            #expect(answer.status == status)
            #expect(answer.headers["location"] == "/there?a=%5B")
            #expect(try await answer.body.collect() == Array("hello".utf8))
            #expect(rig.server.state.value.requests.map(\.target) == ["/away"])
        }
    }

    @Test("with a 3xx status and without a target keeps its status")
    func redirectsNowhere() async throws {
        try await Rig.with { _ in
            Self.answer("302 Away\r\nContent-Length: 0", "")
        } _: { rig in
            let answer = try await rig.send("/away")
            #expect(answer.status == 302)
            #expect(try await answer.body.collect().isEmpty)
        }
    }

    @Test("leaves no cookie behind, and nothing in a cache")
    func leavesNothing() async throws {
        try await Rig.with { _ in
            Self.answer(
                "200 OK\r\nSet-Cookie: a=b; Path=/\r\nCache-Control: max-age=600\r\nETag: \"1\"\r\n"
                    + "Content-Length: 5"
            )
        } _: { rig in
            for _ in 0..<2 { _ = try await rig.send("/a").body.collect() }
            let requests = rig.server.state.value.requests
            #expect(requests.count == 2)
            #expect(requests.allSatisfy { $0.headers["cookie"] == nil })
            #expect(requests.allSatisfy { $0.headers["if-none-match"] == nil })
        }
    }

    @Test(
        "that asks for a credential is given to the caller",
        arguments: ["Basic realm=\"x\"", "Digest realm=\"x\", nonce=\"y\"", "Bearer", "OAuth a=b"]
    )
    func challenges(_ challenge: String) async throws {
        try await Rig.with { _ in
            Self.answer("401 No\r\nWWW-Authenticate: \(challenge)\r\nContent-Length: 5")
        } _: { rig in
            for _ in 0..<3 {
                let answer = try await rig.send("/a")
                #expect(answer.status == 401)
                #expect(answer.headers["www-authenticate"] == challenge)
                #expect(try await answer.body.collect() == Array("hello".utf8))
            }
            #expect(rig.server.state.value.requests.count == 3)
            #expect(
                rig.server.state.value.requests.allSatisfy { $0.headers["authorization"] == nil }
            )
        }
    }

    @Test("may follow 1xx answers, and has no body where HTTP allows none")
    func passesInterim() async throws {
        try await Rig.with { request in
            switch request.target {
            case "/304": Self.answer("304 Same\r\nContent-Length: 500", "")
            default:
                [.text("HTTP/1.1 103 Early\r\nLink: x\r\n\r\n")]
                    + Self.answer("200 OK\r\nX-A: 1\r\nContent-Length: 5")
            }
        } _: { rig in
            let answer = try await rig.send("/early")
            #expect(answer.status == 200 && answer.headers["x-a"] == "1")
            #expect(try await answer.body.collect() == Array("hello".utf8))
            let same = try await rig.send("/304")
            #expect(same.status == 304)
            #expect(try await same.body.collect().isEmpty)
        }
    }

    @Test("with an unrequested coding keeps its header, and its body is refused")
    func refusesCoding() async throws {
        // 20 bytes that decompress to nothing.
        let empty: [UInt8] = [31, 139, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        try await Rig.with { _ in
            [
                .text("HTTP/1.1 404 No\r\nContent-Encoding: gzip\r\nContent-Length: 20\r\n\r\n"),
                .bytes(empty),
            ]
        } _: { rig in
            let answer = try await rig.send("/a")
            #expect(answer.status == 404 && !answer.isEndProven)
            let error = await failure { _ = try await answer.body.collect() }
            #expect(error?.code == .malformed)
        }
    }

    @Test(
        "that is cut short fails as a lost connection, after the bytes that came",
        arguments: [
            "Content-Length: 100000\r\n\r\nhello",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nffff\r\n",
            "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        ]
    )
    func isCutShort(_ rest: String) async throws {
        try await Rig.with { _ in
            [.text("HTTP/1.1 200 OK\r\n\(rest)"), .close]
        } _: { rig in
            let answer = try await rig.send("/a")
            let received = Watched<[UInt8]>([])
            let error = await failure {
                while let memory = try await answer.body.next() {
                    received.update { bytes in memory.withUnsafeBytes { bytes += $0 } }
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(received.value == Array("hello".utf8))
            let again = await failure { _ = try await answer.body.next() }
            #expect(again?.code == .connectionLost)
        }
    }

    @Test(
        "that is not HTTP is refused as such",
        arguments: [
            "SSH-2.0-OpenSSH_9.2\r\n\r\n", "HTTP/1.1 abc\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "HTTP/1.1 101 Switch\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello",
        ]
    )
    func refusesNonsense(_ text: String) async throws {
        try await Rig.with { _ in
            [.text(text), .close]
        } _: { rig in
            let error = await failure { _ = try await rig.send("/a") }
            #expect(error?.code == .malformed)
        }
    }

    @Test("that does not come is a lost connection, and a port without a listener is unreachable")
    func doesNotCome() async throws {
        try await Rig.with { _ in
            [.close]
        } _: { rig in
            let lost = await failure { _ = try await rig.send("/a") }
            #expect(lost?.code == .connectionLost)
            await rig.server.shutdown()
            let refused = await failure { _ = try await rig.send("/a") }
            #expect(refused?.code == .unreachable)
        }
    }

    @Test("answers the method, the fields and the body that were sent")
    func sends() async throws {
        try await Rig.with { _ in
            Self.answer("207 Multi\r\nContent-Length: 5")
        } _: { rig in
            let headers = HTTPHeaderList([
                try HTTPHeader(name: "Depth", value: "1"),
                try HTTPHeader(name: "Content-Type", value: "application/xml"),
                try HTTPHeader(name: "Accept-Encoding", value: "br"),
            ])
            let body = Array("<propfind/>".utf8)
            _ = try await rig.send("/dav", method: "PROPFIND", headers: headers, body: body)
                .body.collect()
            let request = try #require(rig.server.state.value.requests.last)
            #expect(request.method == "PROPFIND" && request.body == "<propfind/>")
            #expect(request.headers["depth"] == "1")
            #expect(request.headers["content-type"] == "application/xml")
            #expect(request.headers["accept-encoding"] == "br")
            let error = await failure(SourceError.self) { _ = try await rig.send("/a", body: body) }
            #expect(error?.code == .invalidRequest)
        }
    }
}
