// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("Cookies from redirects")
struct CookieTests {
    private static let file = ScriptedFile()

    /// Serves the file to requests with a cookie, and redirects other requests with a new cookie.
    private static func guarded(_ location: String, _ cookie: String) -> ScriptedTransport {
        ScriptedTransport { request, _ in
            request.headers["Cookie"] == nil
                ? .answer(302, [("Location", location), ("Set-Cookie", cookie)])
                : Self.file.reply(to: request)
        }
    }

    @Test(
        "are sent within the chain, and with the resource's later requests",
        arguments: ["https://media.test/folder/song.mp3", "/media/1", "song.mp3"]
    )
    func goBack(_ location: String) async throws {
        let transport = Self.guarded(location, "pass=a1; Path=/; HttpOnly")
        let origin = try makeOrigin(transport: transport)
        let version = try await origin.describe().version
        let reading = try await origin.read(ReadDemand(.from(9_000), version: version))
        #expect(try await reading.collect() == PatternBytes.bytes(in: 9_000..<10_000))
        #expect(
            transport.requests.map { $0.headers["Cookie"] } == [nil, "pass=a1", "pass=a1"]
        )
    }

    @Test("are sent to no other host, whatever their domain, and to no subdomain")
    func stayAtTheirHost() async throws {
        for cookie in ["pass=a1; Domain=test; Path=/", "pass=a1; Path=/"] {
            let transport = ScriptedTransport { request, _ in
                switch request.url.host {
                case "media.test":
                    .answer(
                        302,
                        [("Location", "https://cdn.media.test/x"), ("Set-Cookie", cookie)]
                    )
                case "cdn.media.test":
                    .answer(302, [("Location", "https://other.test/x")])
                default: Self.file.reply(to: request)
                }
            }
            let origin = try makeOrigin(transport: transport)
            _ = try await origin.read(.whole).collect()
            _ = try await origin.read(.whole).collect()
            #expect(
                transport.requests.map { $0.headers["Cookie"] }
                    == [nil, nil, nil, "pass=a1", nil, nil]
            )
        }
    }

    @Test("of another resource's origin are not sent")
    func areTheResourcesOwn() async throws {
        let transport = Self.guarded("/folder/song.mp3", "pass=a1; Path=/")
        _ = try await makeOrigin(transport: transport).read(.whole).collect()
        _ = try await makeOrigin(transport: transport).read(.whole).collect()
        #expect(
            transport.requests.map { $0.headers["Cookie"] } == [nil, "pass=a1", nil, "pass=a1"]
        )
    }

    @Test("follow the user's own, which keep their names")
    func standBehindTheUsers() async throws {
        let transport = ScriptedTransport { request, index in
            index == 0
                ? .answer(
                    302,
                    [
                        ("Location", "/x"), ("Set-Cookie", "pass=a1"),
                        ("Set-Cookie", "me=no; Path=/"),
                    ]
                ) : Self.file.reply(to: request)
        }
        var options = plainOptions
        options.headers.append(try HTTPHeader(parsing: "Cookie: me=1; you=2"))
        let origin = try makeOrigin("https://media.test/a", transport: transport, options: options)
        _ = try await origin.read(.whole).collect()
        #expect(transport.requests[1].headers.values(of: "Cookie") == ["me=1; you=2; pass=a1"])
    }

    @Test("that a server ignores end in an error about a circle, which shows no cookie")
    func circles() async throws {
        let transport = ScriptedTransport(
            .answer(302, [("Location", "/a"), ("Set-Cookie", "pass=s3cret; Path=/elsewhere")])
        )
        let origin = try makeOrigin("https://media.test/a", transport: transport)
        let error = await sourceError { _ = try await origin.read(.whole) }
        #expect(error?.code == .badAnswer && error?.message.contains("in a circle") == true)
        #expect(error?.message.contains("s3cret") == false)
        #expect(transport.requests.allSatisfy { !$0.headers.contains("Cookie") })
    }

    @Test("of a server do not count as the user's credential in a refusal")
    func areNoCredential() async throws {
        let transport = ScriptedTransport { _, index in
            index == 0
                ? .answer(302, [("Location", "/b"), ("Set-Cookie", "pass=a1; Path=/")])
                : .answer(403)
        }
        let origin = try makeOrigin("https://media.test/a", transport: transport)
        let error = await sourceError { _ = try await origin.read(.whole) }
        #expect(error?.message.contains("no credential was sent") == true)
    }
}
