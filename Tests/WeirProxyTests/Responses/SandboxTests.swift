// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource

@testable import WeirProxy

@Suite("An origin's content that a browser would run")
struct SandboxTests {
    private func isSandboxed(_ type: String?) throws -> Bool {
        let description = ResourceDescription(
            length: 10,
            mediaType: try type.map { try #require(MediaType(headerValue: $0)) }
        )
        let request = RequestHead(target: "/")
        let head = ResponseHead(
            ResponsePlan(for: request, of: description),
            of: description,
            to: request,
            closing: false
        )
        var buffer = ByteBuffer()
        head.write(into: &buffer)
        let text = String(buffer: buffer)
        let isSandboxed = text.contains("\r\nContent-Security-Policy: sandbox; default-src 'none';")
        #expect(isSandboxed == text.contains("Content-Security-Policy"))
        return isSandboxed
    }

    @Test(
        "is isolated from this site",
        arguments: [
            "text/html", "text/html; charset=utf-8", "application/xhtml+xml", "image/svg+xml",
            "text/xml", "application/xml", "text/css", "text/javascript", "application/javascript",
            "application/json", "multipart/x-mixed-replace", "message/rfc822", "TEXT/HTML",
            "image/SVG+xml", "image/x+xml", "audio/x+xml; a=b", "text/plain+xml", "text/plainer",
            "application/pdf2", "image/svg", "text/vttx",
        ]
    )
    func risky(type: String) throws {
        #expect(try self.isSandboxed(type))
    }

    @Test(
        "excludes content that a browser only shows or plays",
        arguments: [
            "audio/mpeg", "audio/flac", "video/mp4", "image/jpeg", "image/png",
            "application/octet-stream", "text/plain", "text/plain; charset=utf-8", "text/vtt",
            "application/pdf", nil,
        ]
    )
    func inert(type: String?) throws {
        #expect(try !self.isSandboxed(type))
    }

    @Test("has the same header for the whole, a part and HEAD")
    func everyAnswer() throws {
        let description = ResourceDescription(
            length: 10,
            mediaType: MediaType(headerValue: "text/html"),
            validator: .revision("1"),
            generation: GenerationID(rawValue: 1)
        )
        var ranged = RequestHead(target: "/")
        ranged.rangeField = RangeField("bytes=1-2")
        var head = RequestHead(target: "/")
        head.method = .head
        for request in [ranged, head] {
            var buffer = ByteBuffer()
            ResponseHead(
                ResponsePlan(for: request, of: description),
                of: description,
                to: request,
                closing: false
            )
            .write(into: &buffer)
            #expect(String(buffer: buffer).contains("\r\nContent-Security-Policy: sandbox;"))
        }
    }
}
