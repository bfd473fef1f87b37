// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("The question whether a resource is unchanged", .timeLimit(.minutes(1)))
struct HTTPOriginConfirmingTests {
    private static let version = ReadDemand.Version(validator: .entityTag("\"v1\""), length: 10_000)

    @Test("sends the entity tag, and 304 means unchanged")
    func notModified() async throws {
        let transport = ScriptedTransport(.answer(304, [("ETag", "\"v1\"")]))
        #expect(try await makeOrigin(transport: transport).isUnchanged(Self.version))
        #expect(transport.requests.map { $0.headers["If-None-Match"] } == ["\"v1\""])
        #expect(transport.ranges == ["bytes=0-511"])
    }

    @Test("compares the response of an origin without conditions")
    func compares() async throws {
        let same = ScriptedTransport { request, _ in ScriptedFile().reply(to: request) }
        #expect(try await makeOrigin(transport: same).isUnchanged(Self.version))
        let other = ScriptedFile(headers: [("ETag", "\"v2\"")])
        let changed = ScriptedTransport { request, _ in other.reply(to: request) }
        #expect(try await !makeOrigin(transport: changed).isUnchanged(Self.version))
        let longer = ScriptedTransport { request, _ in
            ScriptedFile(length: 10_001).reply(to: request)
        }
        #expect(try await !makeOrigin(transport: longer).isUnchanged(Self.version))
        let without = ScriptedFile(headers: [])
        let bare = ScriptedTransport { request, _ in without.reply(to: request) }
        #expect(try await !makeOrigin(transport: bare).isUnchanged(Self.version))
    }

    @Test("sends no date as a condition, which an older file would pass")
    func date() async throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        let file = ScriptedFile(headers: [
            ("Last-Modified", date), ("Date", "Sun, 06 Nov 1994 09:49:37 GMT"),
        ])
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let version = ReadDemand.Version(
            validator: .lastModified(date, length: 10_000),
            length: 10_000
        )
        #expect(try await makeOrigin(transport: transport).isUnchanged(version))
        #expect(transport.requests.allSatisfy { $0.headers["If-Modified-Since"] == nil })
        let older = ReadDemand.Version(
            validator: .lastModified("Mon, 07 Nov 1994 08:49:37 GMT", length: 10_000),
            length: 10_000
        )
        #expect(try await !makeOrigin(transport: transport).isUnchanged(older))
    }

    @Test("does not try again, and reports the reason", arguments: [503, 404, 401])
    func fails(_ status: Int) async throws {
        let transport = ScriptedTransport(.answer(status))
        let error = await sourceError {
            _ = try await makeOrigin(transport: transport).isUnchanged(Self.version)
        }
        #expect(error?.status == status)
        #expect(transport.requests.count == 1)
    }

    @Test("an unexpected 304 is an error")
    func uncalledFor() async throws {
        let transport = ScriptedTransport(.answer(304))
        let origin = try makeOrigin(transport: transport)
        #expect(await sourceError { _ = try await origin.describe() }?.code == .badAnswer)
        #expect(await sourceError { _ = try await origin.read(.whole) }?.code == .badAnswer)
    }
}
