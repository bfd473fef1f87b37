// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirTestKit

@Suite("Pages of other sites")
struct CrossOriginTests {
    private static let site = "https://player.example"

    private func answer(
        _ method: String,
        _ fields: [String],
        isAllowed: Bool = true
    ) throws -> RawResponse {
        var configuration = ProxyConfiguration(secret: nil)
        if isAllowed { configuration.allowedCrossOrigins = [Self.site] }
        let connection = try EmbeddedConnection(
            ["/a": ResidentSource(ScriptedResource(bytes: [1, 2, 3]))],
            configuration: configuration
        )
        try connection.receive(RawClient.request("/a", method: method, fields).utf8)
        let bytes = try connection.sent()
        let end = try #require(bytes.firstRange(of: Array("\r\n\r\n".utf8)))
        return try RawResponse(head: Array(bytes[..<end.upperBound]))
    }

    @Test("an allowed page may read its answer")
    func allowed() throws {
        let response = try self.answer("GET", ["Origin: \(Self.site)", "Range: bytes=0-1"])
        #expect(response.status == 206)
        #expect(response["Access-Control-Allow-Origin"] == Self.site)
        #expect(
            response["Access-Control-Expose-Headers"]
                == "Accept-Ranges, Content-Length, Content-Range, ETag"
        )
        #expect(response["Vary"] == "Origin")
    }

    @Test("another page gets no grant, and an answer that depends on the page says so")
    func other() throws {
        for fields in [["Origin: https://evil.example"], []] {
            let response = try self.answer("GET", fields)
            #expect(response.status == 200)
            #expect(response["Vary"] == "Origin")
            #expect(!response.fields.contains { $0.name.hasPrefix("Access-Control") })
        }
        let response = try self.answer("GET", ["Origin: \(Self.site)"], isAllowed: false)
        #expect(response["Vary"] == nil)
        #expect(!response.fields.contains { $0.name.hasPrefix("Access-Control") })
    }

    @Test("a preflight of an allowed page gets the allowed methods and fields")
    func preflight() throws {
        let asked = ["Origin: \(Self.site)", "Access-Control-Request-Method: GET"]
        let response = try self.answer("OPTIONS", asked)
        #expect(response.status == 204)
        #expect(response["Access-Control-Allow-Origin"] == Self.site)
        #expect(response["Access-Control-Allow-Methods"] == "GET, HEAD")
        #expect(
            response["Access-Control-Allow-Headers"] == "If-Match, If-None-Match, If-Range, Range"
        )
        #expect(response["Access-Control-Max-Age"] == "600")
        #expect(response["Access-Control-Allow-Private-Network"] == nil)
        #expect(response["Content-Length"] == nil)
        let isPublic = try self.answer(
            "OPTIONS",
            asked + ["Access-Control-Request-Private-Network: true"]
        )
        #expect(isPublic["Access-Control-Allow-Private-Network"] == "true")
    }

    @Test("a preflight of another page gets the methods, and no grant")
    func otherPreflight() throws {
        let response = try self.answer(
            "OPTIONS",
            ["Origin: https://evil.example", "Access-Control-Request-Method: GET"]
        )
        #expect(response.status == 204)
        #expect(response["Allow"] == "GET, HEAD, OPTIONS")
        #expect(!response.fields.contains { $0.name.hasPrefix("Access-Control") })
    }
}
