// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource

@testable import WeirProxy

@Suite("Headers on the wire")
struct ResponseHeadTests {
    private let description = ResourceDescription(
        length: 1000,
        mediaType: MediaType(headerValue: "audio/mpeg"),
        validator: .revision("7"),
        generation: GenerationID(rawValue: .max)
    )

    private func text(_ head: ResponseHead) -> String {
        var buffer = ByteBuffer()
        head.write(into: &buffer)
        #expect(buffer.readableBytes <= head.encodedSizeLimit)
        return String(buffer: buffer)
    }

    private func head(_ request: RequestHead, _ description: ResourceDescription) -> ResponseHead {
        ResponseHead(
            ResponsePlan(for: request, of: description),
            of: description,
            to: request,
            closing: false
        )
    }

    @Test("a part has its position, its length and its generation")
    func part() {
        var request = RequestHead(target: "/")
        request.rangeField = RangeField("bytes=10-19")
        #expect(
            self.text(self.head(request, self.description)) == """
                HTTP/1.1 206 Partial Content\r
                Content-Type: audio/mpeg\r
                Content-Length: 10\r
                Content-Range: bytes 10-19/1000\r
                Accept-Ranges: bytes\r
                ETag: "ffffffffffffffff"\r
                Cache-Control: private, no-cache\r
                X-Content-Type-Options: nosniff\r
                \r

                """
        )
    }

    @Test("a range past the end gives the length, and has no body")
    func unsatisfiable() {
        var request = RequestHead(target: "/")
        request.rangeField = RangeField("bytes=1000-")
        #expect(
            self.text(self.head(request, self.description)) == """
                HTTP/1.1 416 Range Not Satisfiable\r
                Content-Length: 0\r
                Content-Range: bytes */1000\r
                Accept-Ranges: bytes\r
                ETag: "ffffffffffffffff"\r
                Cache-Control: private, no-cache\r
                X-Content-Type-Options: nosniff\r
                \r

                """
        )
    }

    @Test("a body of unknown length is chunked, and promises no ranges")
    func chunked() {
        #expect(
            self.text(self.head(RequestHead(target: "/"), ResourceDescription(length: nil))) == """
                HTTP/1.1 200 OK\r
                Content-Type: application/octet-stream\r
                Transfer-Encoding: chunked\r
                Cache-Control: no-store\r
                X-Content-Type-Options: nosniff\r
                \r

                """
        )
    }

    @Test("for HTTP/1.0 the end of the connection ends a body of unknown length")
    func untilClose() {
        var request = RequestHead(target: "/")
        request.isHTTP10 = true
        let head = self.head(request, ResourceDescription(length: nil))
        #expect(head.framing == .untilClose)
        #expect(head.closes)
        #expect(self.text(head).hasSuffix("Connection: close\r\n\r\n"))
        #expect(!self.text(head).contains("Transfer-Encoding"))
    }

    @Test("an answer to HTTP/1.0 says that its connection stays open")
    func keepAlive() {
        var request = RequestHead(target: "/")
        request.isHTTP10 = true
        #expect(
            self.text(self.head(request, self.description)).contains("Connection: keep-alive\r\n")
        )
    }

    @Test("a known representation gets a 304 with its tag and without a length")
    func notModified() {
        var request = RequestHead(target: "/")
        request.ifNoneMatch = "*"
        #expect(
            self.text(self.head(request, self.description)) == """
                HTTP/1.1 304 Not Modified\r
                Accept-Ranges: bytes\r
                ETag: "ffffffffffffffff"\r
                Cache-Control: private, no-cache\r
                X-Content-Type-Options: nosniff\r
                \r

                """
        )
    }

    @Test("the largest numbers and the smallest fit")
    func numbers() {
        var request = RequestHead(target: "/")
        request.rangeField = RangeField("bytes=\(Int64.max - 2)-")
        var description = self.description
        description.length = .max
        description.generation = GenerationID(rawValue: 0)
        let text = self.text(self.head(request, description))
        #expect(
            text.contains(
                "Content-Range: bytes 9223372036854775805-9223372036854775806/9223372036854775807\r\n"
            )
        )
        #expect(text.contains("Content-Length: 2\r\n"))
        #expect(text.contains("ETag: \"0000000000000000\"\r\n"))
    }

    @Test("a header with every field fits into its size")
    func everything() {
        var head = ResponseHead(
            PlainAnswer(
                status: 431,
                sentence: "no",
                unsatisfiedLength: .max,
                retryAfter: .max,
                listsMethods: true,
                closes: true
            ),
            isHTTP10: true,
            closing: true
        )
        head.framing = .chunked
        head.entityTag = .origin(
            "\"\(String(repeating: "z", count: ServedEntityTag.maximumSize - 2))\""
        )
        head.date = .max
        head.age = .max
        head.isChallenge = true
        head.contentRange = .part(Int64.max - 1..<Int64.max, of: .max)
        head.contentLength = .max
        head.acceptsRanges = true
        head.contentType = String(repeating: "x", count: 5000)
        head.crossOrigin = ResponseHead.CrossOrigin(
            granted: String(repeating: "y", count: 5000),
            isPreflight: true,
            isFromPublicNetwork: true
        )
        #expect(self.text(head).hasSuffix("Connection: close\r\n\r\n"))
    }

    @Test("an error message is plain text with its length")
    func sentence() {
        let text = self.text(ResponseHead(.notFound, isHTTP10: false, closing: true))
        #expect(
            text.hasPrefix("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain; charset=utf-8\r\n")
        )
        #expect(text.hasSuffix("Connection: close\r\n\r\n"))
    }

    @Test("the origin's strong tag is passed on, if a field can hold it")
    func originTag() {
        var description = self.description
        for (tag, isPassedOn) in [
            (#""one-2""#, true), ("\"\"", true), (#"W/"x""#, false), ("x", false), ("\"", false),
            ("", false),
            ("\"a\r\nX: y\"", false), ("\"\u{E9}\"", false), (#""a"b""#, false),
            ("\"\(String(repeating: "a", count: 254))\"", true),
            ("\"\(String(repeating: "a", count: 255))\"", false),
        ] {
            description.validator = .entityTag(tag)
            let text = self.text(self.head(RequestHead(target: "/"), description))
            let expected = isPassedOn ? tag : #""ffffffffffffffff""#
            #expect(
                text.contains("\r\nETag: \(expected)\r\nCache-Control: private, no-cache\r\n"),
                "\(tag)"
            )
        }
    }

    @Test("a resource without an identity has no tag, and is not to be stored")
    func withoutValidator() {
        var description = self.description
        description.validator = nil
        let text = self.text(self.head(RequestHead(target: "/"), description))
        #expect(!text.contains("ETag"))
        #expect(text.contains("Cache-Control: no-store\r\n"))
    }

    @Test("a 401 has a challenge for which no player asks a password")
    func challenge() {
        let answer = PlainAnswer(SourceError(.unauthorized, "Log in."))
        let text = self.text(ResponseHead(answer, isHTTP10: false, closing: false))
        #expect(text.hasPrefix("HTTP/1.1 401 Unauthorized\r\n"))
        #expect(text.contains("\r\nWWW-Authenticate: Weir-Origin\r\n"))
    }

    @Test(
        "dates have the format of HTTP",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (-1, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
            (2_147_483_648, "Tue, 19 Jan 2038 03:14:08 GMT"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] as [(Int64, String)]
    )
    func dates(seconds: Int64, text: String) {
        var head = ResponseHead(.notFound, isHTTP10: false, closing: false)
        head.date = seconds
        head.age = 61
        #expect(self.text(head).contains("\r\nDate: \(text)\r\nAge: 61\r\n"))
    }
}
