// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A resource known as empty")
struct EmptyResourceTests {
    private static let headers = [("ETag", "\"e\""), ("Content-Length", "0")]

    @Test("is requested without a range")
    func isAskedWhole() async throws {
        let transport = ScriptedTransport { request, _ in
            // Some servers treat every range of an empty resource as an error.
            request.headers["Range"] == nil ? .answer(200, Self.headers) : .answer(400)
        }
        let origin = try makeOrigin(transport: transport)
        let version = ReadDemand.Version(validator: .lastModified("x", length: 0), length: 0)
        _ = try? await origin.isUnchanged(version)
        #expect(transport.requests.map { $0.headers["Range"] } == [nil])
        let known = ReadDemand.Version(validator: .entityTag("\"e\""), length: 0)
        let bytes = try await origin.read(ReadDemand(.whole, version: known)).collect()
        #expect(bytes.isEmpty)
        #expect(transport.requests.allSatisfy { $0.headers["Range"] == nil })
        #expect(transport.requests.allSatisfy { $0.headers["If-Range"] == nil })
    }

    @Test("that has grown is changed")
    func hasGrown() async throws {
        let file = ScriptedFile(length: 500)
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let origin = try makeOrigin(transport: transport)
        let known = ReadDemand.Version(validator: .entityTag("\"v1\""), length: 0)
        let error = await sourceError {
            _ = try await origin.read(ReadDemand(.whole, version: known))
        }
        #expect(error?.code == .changed)
    }
}
