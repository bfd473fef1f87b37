// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("The user and password of an address")
struct DigestOriginTests {
    private static let challenge = (
        "WWW-Authenticate", #"Digest realm="r", nonce="n1", qop="auth""#
    )
    private static let address = "https://me:s3cret@media.test/a.mp3?x=1"

    /// A server that accepts only Digest, with the right answer.
    private static func server(
        _ more: @escaping @Sendable (HTTPTransportRequest) -> ScriptedTransport.Reply?
    )
        -> ScriptedTransport
    {
        let file = ScriptedFile(length: 1_000)
        return ScriptedTransport { request, _ in
            if let reply = more(request) { return reply }
            return self.isRight(request)
                ? file.reply(to: request) : .answer(401, [self.challenge], [1, 2])
        }
    }

    /// Whether the request has the answer of RFC 7616 to the challenge.
    private static func isRight(_ request: HTTPTransportRequest) -> Bool {
        let sent = request.headers["Authorization"] ?? ""
        guard let fields = AuthenticationChallenge.all(in: sent).first?.parameters,
            let challenge = DigestChallenge.best(of: [self.challenge.1]),
            let count = fields["nc"].flatMap({ UInt32($0, radix: 16) })
        else { return false }
        let right = challenge.answer(
            user: "me",
            password: "s3cret",
            method: "GET",
            target: request.url.requestTarget,
            count: count,
            clientNonce: fields["cnonce"] ?? ""
        )
        return sent == right
    }

    private static func counts(_ transport: ScriptedTransport) -> [String?] {
        transport.requests.map { request in
            AuthenticationChallenge.all(in: request.headers["Authorization"] ?? "").first.map {
                $0.parameters["nc"] ?? $0.scheme
            }
        }
    }

    @Test("are sent as Digest after a challenge, and at once with later requests")
    func digest() async throws {
        let transport = Self.server { _ in nil }
        let origin = try makeOrigin(Self.address, transport: transport)
        #expect(try await origin.read(.from(10)).collect() == PatternBytes.bytes(in: 10..<1_000))
        #expect(try await origin.describe().length == 1_000)
        #expect(Self.counts(transport) == ["Basic", "00000001", "00000002"])
        #expect(transport.requests.allSatisfy { $0.headers.values(of: "Authorization").count == 1 })
        #expect(transport.ranges == ["bytes=10-", "bytes=10-", "bytes=0-511"])
    }

    @Test("are used for a redirect within the origin, and for no other host")
    func redirects() async throws {
        let within = Self.server { request in
            request.url.requestTarget == "/a.mp3?x=1" && Self.isRight(request)
                ? .answer(302, [("Location", "/b.mp3")]) : nil
        }
        #expect(
            try await makeOrigin(Self.address, transport: within).read(.whole).collect().count
                == 1_000
        )
        #expect(Self.counts(within) == ["Basic", "00000001", "00000002"])
        let away = ScriptedTransport { request, _ in
            request.url.authority == "media.test"
                ? .answer(302, [("Location", "https://other.test/")])
                : .answer(401, [Self.challenge])
        }
        let error = await sourceError {
            _ = try await makeOrigin(Self.address, transport: away).read(.whole)
        }
        #expect(error?.code == .unauthorized && error?.host == "other.test")
        #expect(Self.counts(away) == ["Basic", nil])
    }

    @Test("end in an error after one Digest answer if wrong, and the error does not show them")
    func wrong() async throws {
        let transport = ScriptedTransport(.answer(401, [Self.challenge]))
        let origin = try makeOrigin(Self.address, transport: transport)
        let error = await sourceError { _ = try await origin.read(.whole) }
        #expect(error?.code == .unauthorized)
        #expect(error?.message.contains("s3cret") == false)
        #expect(Self.counts(transport) == ["Basic", "00000001"])
    }

    @Test("are sent as Basic alone if the origin accepts it, or requests an unsupported scheme")
    func basic() async throws {
        let file = ScriptedFile(length: 100)
        let taken = ScriptedTransport { request, _ in file.reply(to: request) }
        _ = try await makeOrigin(Self.address, transport: taken).read(.whole).collect()
        #expect(Self.counts(taken) == ["Basic"])
        let refused = ScriptedTransport(.answer(401, [("WWW-Authenticate", "Negotiate")]))
        let error = await sourceError {
            _ = try await makeOrigin(Self.address, transport: refused).read(.whole)
        }
        #expect(error?.code == .unauthorized && refused.requests.count == 1)
    }

    @Test("are used for a station, too")
    func station() async throws {
        let transport = ScriptedTransport { request, _ in
            Self.isRight(request)
                ? .answer(200, [("Content-Type", "audio/mpeg")], [1])
                : .answer(401, [Self.challenge])
        }
        let url = try OriginURL(station: "http://me:s3cret@media.test:8000/live")
        let station = HTTPStationTransport(url: url, transport: transport)
        _ = try await station.connect(to: .station)
        #expect(Self.counts(transport) == ["Basic", "00000001"])
    }
}
