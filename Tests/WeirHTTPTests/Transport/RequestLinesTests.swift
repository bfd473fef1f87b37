// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("The lines of a request")
struct RequestLinesTests {
    private func request(_ fields: [(String, String)], body: String = "") throws
        -> HTTPTransportRequest
    {
        var request = HTTPTransportRequest(
            url: try OriginURL("http://example.org:8000/a"),
            headers: HTTPHeaderList(received: fields)
        )
        request.method = body.isEmpty ? "GET" : "POST"
        request.body = Array(body.utf8)
        return request
    }

    @Test("have a host, the fields in their order, and the length of the body")
    func whole() throws {
        let bytes = try RequestLines.bytes(
            self.request([("Range", "bytes=0-1"), ("A", "b\tc")], body: "hi"),
            target: "/a"
        )
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "POST /a HTTP/1.1\r\nHost: example.org:8000\r\nRange: bytes=0-1\r\nA: b\tc\r\n"
                + "Content-Length: 2\r\n\r\nhi"
        )
        // A correct length from the caller is sent once.
        let given = try RequestLines.bytes(
            self.request([("Content-Length", "2")], body: "hi"),
            target: "/a"
        )
        #expect(
            String(decoding: given, as: UTF8.self).split(separator: "Content-Length").count == 2
        )
    }

    @Test(
        "are not sent with an invalid method, target or field",
        arguments: [
            ("GET", "/a b", "A", "b"), ("GET", "/a\r\nB: c", "A", "b"), ("GET", "", "A", "b"),
            ("G T", "/a", "A", "b"), ("GET\r\n", "/a", "A", "b"), ("", "/a", "A", "b"),
            ("GET", "/a", "A\r\nB", "b"), ("GET", "/a", "A:", "b"), ("GET", "/a", "", "b"),
            ("GET", "/a", "A", "b\r\nC: d"), ("GET", "/a", "A", "b\nc"),
            ("GET", "/a", "A", "b\u{0}"),
        ]
    )
    func injected(_ method: String, _ target: String, _ name: String, _ value: String) {
        let error = #expect(throws: HTTPTransportError.self) {
            try RequestLines.bytes(method, target, [(name, value)])
        }
        #expect(error?.code == .malformed)
    }

    @Test(
        "are not sent with a field that contradicts how the body is sent",
        arguments: [
            ("Transfer-Encoding", "chunked"), ("transfer-encoding", "identity"),
            ("Content-Length", "1"), ("Content-Length", "2, 2"), ("content-length", "+2"),
        ]
    )
    func lengths(_ name: String, _ value: String) throws {
        let request = try self.request([(name, value)], body: "hi")
        let error = #expect(throws: HTTPTransportError.self) {
            try RequestLines.bytes(request, target: "/a")
        }
        #expect(error?.code == .malformed)
    }
}
