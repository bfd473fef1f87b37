// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A resource with the type of a page")
struct TypedAsPageTests {
    private static let type = ("Content-Type", "text/html; charset=utf-8")

    @Test(
        "is read if it is media, and has no type",
        arguments: [
            .span(0..<2), .span(0..<600), .whole, .from(3_000), .span(100..<200), .suffix(5),
        ]
            as [RequestedRange],
        [true, false]
    )
    func reads(_ range: RequestedRange, _ answersRanges: Bool) async throws {
        let file = ScriptedFile(
            length: 5_000,
            headers: [("ETag", "\"v1\""), Self.type],
            answersRanges: answersRanges,
            piece: 7
        )
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let origin = try makeOrigin(transport: transport)
        let bounds = try #require(range.resolved(inLength: 5_000))
        let reading = try await origin.read(range)
        #expect(reading.resource.mediaType == nil && reading.resource.length == 5_000)
        #expect(try await reading.collect() == PatternBytes.bytes(in: bounds))
        let description = try await makeOrigin(transport: transport).describe()
        #expect(description.mediaType == nil && description.length == 5_000)
        #expect(transport.requests.count == 2)
    }

    private static let pages = [
        "<!DOCTYPE html>\n<html><body>Sign in</body></html>", "There is no such file.",
        String(repeating: "<p>Sign in</p>\n", count: 400),
    ]

    @Test("is refused if it is text, for any first read", arguments: Self.pages)
    func refuses(_ page: String) async throws {
        let bytes = Array(page.utf8)
        for range in [.whole, .from(7), .suffix(5), .span(0..<1_000)] as [RequestedRange] {
            let headers = [Self.type, ("Content-Length", "\(bytes.count)")]
            let transport = ScriptedTransport(.answer(200, headers, bytes))
            let error = await sourceError {
                // `read` does not return a description of the page, either.
                _ = try await makeOrigin(transport: transport).read(range)
            }
            #expect(error?.code == .notMedia, "\(range)")
        }
        let transport = ScriptedTransport(.answer(200, [Self.type], bytes))
        let error = await sourceError { _ = try await makeOrigin(transport: transport).describe() }
        #expect(error?.code == .notMedia)
    }

    @Test(
        "is described with one request if its first element is a list's",
        arguments: [
            ("<asx version=\"3.0\"><title>Radio</title></asx>", true),
            ("<opml version=\"2.0\"><head/></opml>", true),
            ("<html><body>Sign in</body></html>", false),
            ("<!-- " + String(repeating: "x", count: 600), false),
        ]
    )
    func describesLists(_ text: String, _ isList: Bool) async throws {
        let bytes = Array(text.utf8)
        let transport = ScriptedTransport { request, _ in
            #expect(request.headers.values(of: "Range").first == "bytes=0-511")
            let asked = min(512, bytes.count)
            let range = "bytes 0-\(asked - 1)/\(bytes.count)"
            let headers = [Self.type, ("Content-Range", range), ("Content-Length", "\(asked)")]
            return .answer(206, headers, Array(bytes[..<asked]))
        }
        let origin = try makeOrigin(transport: transport)
        if isList {
            #expect(try await origin.describe().length == Int64(bytes.count))
        } else {
            let error = await sourceError { _ = try await origin.describe() }
            #expect(error?.code == .notMedia)
        }
        #expect(transport.requests.count == 1)
    }
}
