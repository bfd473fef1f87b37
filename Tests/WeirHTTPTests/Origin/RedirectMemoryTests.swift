// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("Redirects that a station's transport has followed to a file")
struct RedirectMemoryTests {
    private static let start = "http://media.test/start"

    /// A chain of twelve redirects; the last address needs the cookie of the first response.
    private static func transport(isExpired: Bool = false) -> ScriptedTransport {
        ScriptedTransport { request, index in
            let step = Int(request.url.path.dropFirst(5)) ?? 0
            guard step == 12 else {
                let cookie = step == 0 ? [("Set-Cookie", "pass=1; Path=/")] : []
                return .answer(302, [("Location", "/step\(step + 1)")] + cookie)
            }
            // With `isExpired`, the last address accepts only some requests.
            guard request.headers["Cookie"] == "pass=1", !isExpired || index == 12 || index > 20
            else { return .answer(403) }
            return ScriptedFile(length: 5_000).reply(to: request)
        }
    }

    private static func walk(
        _ transport: ScriptedTransport,
        _ memory: RedirectMemory,
        from start: String = Self.start,
        _ headers: [String] = []
    ) async throws {
        let station = HTTPStationTransport(
            url: try OriginURL(station: start),
            headers: HTTPHeaderList(try headers.map { try HTTPHeader(parsing: $0) }),
            transport: transport,
            redirects: memory
        )
        try await station.connect(to: .station).body.cancel()
    }

    private static func origin(
        _ transport: ScriptedTransport,
        _ memory: RedirectMemory,
        from start: String = Self.start,
        _ headers: [String] = []
    ) throws -> HTTPOrigin {
        var options = plainOptions
        for header in headers { options.headers.append(try HTTPHeader(parsing: header)) }
        return HTTPOrigin(
            url: try OriginURL(start),
            options: options,
            transport: transport,
            clock: ManualClock(),
            redirects: memory
        )
    }

    @Test("are not followed again by the file's first request, which goes to the found address")
    func once() async throws {
        let transport = Self.transport()
        let memory = RedirectMemory(clock: ManualClock())
        try await Self.walk(transport, memory)
        #expect(transport.requests.count == 13)
        let origin = try Self.origin(transport, memory)
        let reading = try await origin.read(.whole)
        #expect(try await reading.collect() == PatternBytes.bytes(in: 0..<5_000))
        #expect(transport.requests.count == 14)
        #expect(transport.requests.last?.url.path == "/step12")
        // `describe` starts at the original address, which may lead elsewhere by now.
        _ = try await origin.describe()
        #expect(transport.requests.count == 14 + 13)
    }

    @Test("are followed by a request with other headers, and by a much later one")
    func others() async throws {
        let clock = ManualClock()
        let transport = Self.transport()
        let memory = RedirectMemory(clock: clock)
        try await Self.walk(transport, memory, ["X-Account: a"])
        _ = try await Self.origin(transport, memory, ["X-Account: b"]).read(.whole).collect()
        #expect(transport.requests.count == 13 + 13)
        clock.advance(by: .seconds(31))
        _ = try await Self.origin(transport, memory, ["X-Account: a"]).read(.whole).collect()
        #expect(transport.requests.count == 13 + 13 + 13)
    }

    @Test("are followed again if their target refuses")
    func expired() async throws {
        let transport = Self.transport(isExpired: true)
        let memory = RedirectMemory(clock: ManualClock())
        try await Self.walk(transport, memory)
        let reading = try await Self.origin(transport, memory).read(.whole)
        #expect(try await reading.collect() == PatternBytes.bytes(in: 0..<5_000))
        #expect(transport.requests.count == 13 + 1 + 13)
    }

    @Test("are refused for a file if they lose TLS, though a station may follow them")
    func downgrade() async throws {
        let transport = ScriptedTransport { request, _ in
            request.url.scheme == .https
                ? .answer(302, [("Location", "http://media.test/a.mp3")])
                : ScriptedFile(length: 5_000).reply(to: request)
        }
        let memory = RedirectMemory(clock: ManualClock())
        try await Self.walk(transport, memory, from: "https://media.test/start")
        let error = await sourceError {
            _ = try await Self.origin(transport, memory, from: "https://media.test/start")
                .read(.whole)
        }
        #expect(error?.code == .insecure)
    }
}
