// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers

@testable import WeirURLSession

#if canImport(FoundationNetworking)
/// The gaps of FoundationNetworking, one test for each; a test fails when the platform closes its
/// gap.
///
/// 1. A suspended task loses its connection, and its request is sent again on resume. Therefore a
///    body may be ahead of its consumer by up to the backlog, and a consumer that pauses loses the
///    connection.
/// 2. A response 301 to 308 is delivered only when its whole body has arrived.
/// 3. A head that is cut off after its first line traps the process.
/// 4. A chunked body that ends with trailer fields traps the process.
///
/// All clauses of the source's contract hold nonetheless. A measurement showed that a delegate that
/// blocks holds up every session of the process. No test can show this without blocking the other
/// tests, too.
@Suite("FoundationNetworking still", .timeLimit(.minutes(1)))
struct PlatformGapTests {
    @Test("repeats a request that was suspended; its body ends as lost before a byte comes twice")
    func suspendRestarts() async throws {
        let transport = URLSessionTransport(template: nil, .init(), flow: .suspending)
        try await Rig.with(transport: transport) { request in
            let head = "HTTP/1.1 200 OK\r\nContent-Length: 600000\r\n\r\n"
            return [.text(head), .pattern(0..<400_000), .stall]
        } _: { rig in
            let body = try await rig.send("/a").body
            // Bytes beyond the slack suspend the task, and the server sees the connection close.
            try await rig.server.state.wait { $0.closed == 1 }
            // Reading the buffered bytes resumes the task.
            var bytes: [UInt8] = []
            let error = await #expect(throws: HTTPTransportError.self) {
                while let piece = try await body.next() {
                    piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
                }
            }
            #expect(error?.code == .connectionLost)
            #expect(bytes.count <= 400_000)
            #expect(PatternBytes.firstDifference(in: bytes, at: 0) == nil)
            #expect(rig.server.state.value.requests.map(\.target) == ["/a", "/a"])
        }
    }

    @Test("gives a 3xx only with the end of its body")
    func withholdsRedirects() async throws {
        let gate = Gate()
        try await Rig.with { request in
            guard request.target == "/a" else {
                return [.text("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello")]
            }
            return [
                .text("HTTP/1.1 302 F\r\nLocation: /b\r\nContent-Length: 5\r\n\r\nhe"),
                .hold(gate), .text("llo"),
            ]
        } _: { rig in
            let hasHead = Watched(false)
            async let status = {
                let answer = try await rig.send("/a")
                hasHead.update { $0 = true }
                return answer.status
            }()
            try await gate.waitForWaiters(1)
            // Other requests succeed meanwhile.
            for _ in 0..<10 { _ = try await rig.send("/other").body.collect() }
            #expect(!hasHead.value)
            gate.open()
            #expect(try await status == 302)
        }
    }

    @Test("traps at a header that is cut off after its first line")
    func trapsAtCutHead() async {
        await #expect(processExitsWith: .failure) {
            try await PlatformGapTests.ask(
                [.text("HTTP/1.1 200 OK\r\nContent-Le"), .close]
            )
        }
    }

    @Test("traps at trailer fields")
    func trapsAtTrailers() async {
        await #expect(processExitsWith: .failure) {
            try await PlatformGapTests.ask([
                .text(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "5\r\nhello\r\n0\r\nX-T: 1\r\n\r\n"
                )
            ])
        }
    }

    @Test("does not trap when both are correct")
    func trapsNot() async {
        await #expect(processExitsWith: .success) {
            try await PlatformGapTests.ask([
                .text(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
                )
            ])
        }
    }

    /// Sends a request to a server with scripted steps; an error does not end the process.
    private static func ask(_ steps: [ScriptedServer.Step]) async throws {
        try await Rig.with { _ in
            steps
        } _: { rig in
            _ = try? await rig.send("/a").body.collect()
        }
    }
}
#endif
