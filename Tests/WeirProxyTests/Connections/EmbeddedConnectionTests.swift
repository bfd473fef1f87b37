// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirProxy

@Suite("A connection, byte by byte")
struct EmbeddedConnectionTests {
    private static let content = Array("0123456789abcdef".utf8)

    private static func source() -> ResidentSource {
        var resource = ScriptedResource(bytes: Self.content)
        resource.mediaType = MediaType(headerValue: "audio/mpeg")
        resource.validator = .revision("7")
        resource.generation = GenerationID(rawValue: 0xABC)
        return ResidentSource(resource)
    }

    private func connection(
        _ configuration: ProxyConfiguration = ProxyConfiguration(secret: nil)
    ) throws -> EmbeddedConnection {
        try EmbeddedConnection(["/a": Self.source()], configuration: configuration)
    }

    private static let usual =
        "HTTP/1.1 206 Partial Content\r\nContent-Type: audio/mpeg\r\nContent-Length: 4\r\n"
        + "Content-Range: bytes 3-6/16\r\nAccept-Ranges: bytes\r\n"
        + "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\nETag: \"0000000000000abc\"\r\n"
        + "Cache-Control: private, no-cache\r\nX-Content-Type-Options: nosniff\r\n\r\n3456"

    @Test("a request split at any byte gets the same answer")
    func splits() throws {
        let request = Array(RawClient.request("/a", ["Range: bytes=3-6", "Accept: */*"]).utf8)
        for split in 0...request.count {
            let connection = try self.connection()
            try connection.receive(request[..<split])
            if split < request.count { #expect(try connection.sent().isEmpty) }
            try connection.receive(request[split...])
            #expect(try connection.sentText() == Self.usual, "split at \(split)")
            #expect(connection.isOpen)
        }
    }

    @Test("pipelined requests split at any byte get answers in order")
    func pipelined() throws {
        let head = RawClient.request("/a", method: "HEAD")
        let missing = RawClient.request("/b")
        let requests = Array(
            (RawClient.request("/a", ["Range: bytes=3-6"]) + head + missing
                + RawClient.request("/a", ["Range: bytes=3-6"])).utf8
        )
        for split in 0...requests.count {
            let connection = try self.connection()
            try connection.receive(requests[..<split])
            try connection.receive(requests[split...])
            let text = try connection.sentText()
            #expect(text.hasPrefix(Self.usual + "HTTP/1.1 200 OK\r\n"), "split at \(split)")
            #expect(text.contains("nosniff\r\n\r\nHTTP/1.1 404 Not Found\r\n"))
            #expect(text.hasSuffix(Self.usual))
        }
    }

    @Test("a request that comes byte by byte gets its answer")
    func byteByByte() throws {
        let connection = try self.connection()
        for _ in 0..<2 {
            for byte in RawClient.request("/a", ["Range: bytes=3-6"]).utf8 {
                try connection.receive([byte])
            }
            #expect(try connection.sentText() == Self.usual)
        }
    }

    @Test("a new connection is not closed to free a descriptor before it can send a request")
    func newcomer() throws {
        let asking = try self.connection()
        #expect(!asking.isShed())
        try asking.receive(RawClient.request("/a", ["Range: bytes=3-6"]).utf8)
        #expect(try asking.sentText() == Self.usual)
        #expect(asking.isShed(), "it is idle now")
        let silent = try self.connection()
        silent.advance(seconds: 1)
        #expect(silent.isShed())
        #expect(!silent.isOpen)
    }

    @Test("HEAD gets the header of the whole resource")
    func head() throws {
        let connection = try self.connection()
        try connection.receive(
            RawClient.request("/a", method: "HEAD", ["Range: bytes=3-6"]).utf8
        )
        let text = try connection.sentText()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("Content-Length: 16\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
        #expect(connection.isOpen)
    }

    @Test("HTTP/1.0 ends the connection after a response, unless the client asks otherwise")
    func oldVersion() throws {
        let closing = try self.connection()
        try closing.receive("GET /a HTTP/1.0\r\n\r\n".utf8)
        let text = try closing.sentText()
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("Connection: close\r\n"))
        #expect(text.hasSuffix("\r\n\r\n0123456789abcdef"))
        #expect(!closing.isOpen)

        let staying = try self.connection()
        try staying.receive("GET /a HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n".utf8)
        #expect(try staying.sentText().contains("Connection: keep-alive\r\n"))
        #expect(staying.isOpen)
    }

    @Test("the connection closes if the client asks for it")
    func close() throws {
        let connection = try self.connection()
        try connection.receive(RawClient.request("/a", ["Connection: close"]).utf8)
        #expect(try connection.sentText().contains("Connection: close\r\n"))
        #expect(!connection.isOpen)
    }

    @Test(
        "bytes that are not a request are refused, and the connection ends",
        arguments: [
            ("\u{16}\u{3}\u{1}\u{2}\u{0}", 400), ("hello\r\n\r\n", 400), ("GET\r\n\r\n", 400),
            ("GET / HTTP/2.0\r\n\r\n", 505), ("GET / HTTP/9.9\r\n\r\n", 505),
            ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400), ("GET /a HTTP/1.1\r\n: x\r\n\r\n", 400),
            ("GET /a HTTP/1.1\r\nHost : x\r\n\r\n", 400), ("\u{0}", 400),
            ("GET /a HTTP/1.1\r\nContent-Length: -1\r\n\r\n", 400),
            ("GET /a HTTP/1.1\n\n", 400), ("GET /a HTTP/1.1\nHost: x\r\n\r\n", 400),
            ("GET /a HTTP/1.0\n\n", 400), ("GET / HTTP/2.0\n\n", 505),
        ]
    )
    func garbage(text: String, status: Int) throws {
        let connection = try self.connection()
        try connection.receive(text.utf8)
        let answer = try connection.sentText()
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
        #expect(answer.contains("Connection: close\r\n"))
        #expect(!connection.isOpen)
    }

    @Test(
        "a bare line feed after a request line is refused by name, whatever the sizes of the pieces"
    )
    func bareLineFeed() throws {
        let before = RawClient.request("/b", method: "HEAD", ["X: y"])
        for prefix in ["", before, before + before] {
            let bytes = Array((prefix + "GET /a HTTP/1.1\nHost: x\r\n\r\n").utf8)
            for split in 0...bytes.count {
                let connection = try self.connection()
                try connection.receive(bytes[..<split])
                try connection.receive(bytes[split...])
                let text = try connection.sentText()
                #expect(text.contains("HTTP/1.1 400 Bad Request\r\n"), "split at \(split)")
                #expect(text.contains("line feed alone"), "split at \(split)")
                #expect(!connection.isOpen)
            }
        }
    }

    /// The part of a head that is too large.
    enum Excess: CaseIterable {
        case target
        case value
        case name
        case sum
        case count

        var text: String {
            let long = String(repeating: "a", count: 100 * 1024)
            let line = "A: \(String(repeating: "b", count: 1000))\r\n"
            return switch self {
            case .target: "GET /\(long) HTTP/1.1\r\nHost: x\r\n\r\n"
            case .value: "GET /a HTTP/1.1\r\nA: \(long)\r\n\r\n"
            case .name: "GET /a HTTP/1.1\r\n\(long): x\r\n\r\n"
            case .sum: "GET /a HTTP/1.1\r\n\(String(repeating: line, count: 90))\r\n"
            case .count: "GET /a HTTP/1.1\r\n\(String(repeating: "A: b\r\n", count: 200))\r\n"
            }
        }

        var status: Int { self == .target ? 414 : 431 }
    }

    @Test(
        "the answer to an oversized header names the part that is too large",
        arguments: Excess.allCases,
        [1 << 20, 16 * 1024, 1000, 17]
    )
    func tooLarge(excess: Excess, size: Int) throws {
        let before = RawClient.request("/b", method: "HEAD", ["X: y"])
        for prefix in ["", before, before + before] {
            let connection = try self.connection()
            var rest = Array((prefix + excess.text).utf8)[...]
            while !rest.isEmpty, connection.isOpen {
                try connection.receive(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            let answers = try connection.sentText().split(separator: "HTTP/1.1 ")
            let statuses = answers.map { Int($0.prefix(3)) }
            #expect(statuses.last == excess.status)
            #expect(statuses.dropLast().allSatisfy { $0 == 404 })
            #expect(statuses.count == prefix.utf8.count / before.utf8.count + 1)
            #expect(!connection.isOpen)
        }
    }

    @Test("a target of 16 KiB is accepted")
    func longTarget() throws {
        let connection = try self.connection()
        let query = String(repeating: "a", count: 16 * 1024 - 4)
        try connection.receive(RawClient.request("/a?" + query, ["Range: bytes=3-6"]).utf8)
        #expect(try connection.sentText() == Self.usual)
    }

    @Test(
        "a request with a body gets an answer, and the connection ends",
        arguments: [
            ("GET", "Content-Length: 5", 200), ("POST", "Content-Length: 5", 405),
            ("GET", "Transfer-Encoding: chunked", 200), ("GET", "Upgrade: h2c", 200),
        ]
    )
    func followed(method: String, field: String, status: Int) throws {
        let connection = try self.connection()
        try connection.receive(RawClient.request("/a", method: method, [field]).utf8)
        let text = try connection.sentText()
        #expect(text.hasPrefix("HTTP/1.1 \(status) "))
        #expect(text.contains("Connection: close\r\n"))
        #expect(!connection.isOpen)
    }

    @Test("a connection without a request ends at its timeout, not before")
    func idle() throws {
        let connection = try self.connection()
        connection.advance(seconds: 74)
        #expect(connection.isOpen)
        try connection.receive(RawClient.request("/a").utf8)
        connection.advance(seconds: 74)
        #expect(connection.isOpen, "the time counts from the last response")
        connection.advance(seconds: 1)
        #expect(!connection.isOpen)
    }

    @Test("an unfinished request does not keep the connection open")
    func slowRequest() throws {
        let connection = try self.connection()
        for byte in "GET /a HTTP/1.1\r\nA".utf8 {
            try connection.receive([byte])
            connection.advance(seconds: 5)
        }
        #expect(!connection.isOpen)
    }

    @Test("without a socket of its own a connection sends files through its channel, in turns")
    func files() throws {
        let connection = try EmbeddedConnection(["/a": SparseSource(length: 9_000_000)])
        for range in [70_000..<9_000_000, 5..<200_000] {
            let field = "Range: bytes=\(range.lowerBound)-\(range.upperBound - 1)"
            try connection.receive(RawClient.request("/a", [field]).utf8)
            var position = range.lowerBound
            while position < range.upperBound {
                let (bytes, runs) = try connection.sentPieces()
                #expect(bytes.isEmpty == (position > range.lowerBound))
                #expect(runs.reduce(0) { $0 + $1.count } <= 5 * 1024 * 1024)
                try #require(!runs.isEmpty)
                for run in runs {
                    #expect(run.lowerBound == position)
                    position = run.upperBound
                }
                connection.advance(seconds: 0)
            }
            #expect(position == range.upperBound)
            #expect(connection.isOpen)
        }
    }

    @Test("a response that begins when the turn of the previous one ends is sent whole")
    func pipelinedFiles() throws {
        let connection = try EmbeddedConnection(["/a": SparseSource(length: 5_000_000)])
        try connection.receive((RawClient.request("/a") + RawClient.request("/a")).utf8)
        var sentCount = 0
        for _ in 0..<8 {
            sentCount += try connection.sentPieces().runs.reduce(0) { $0 + $1.count }
            connection.advance(seconds: 0)
        }
        #expect(sentCount == 10_000_000)
    }

    @Test("many requests at once get answers, up to a limit")
    func flood() throws {
        let connection = try self.connection()
        let requests = String(repeating: RawClient.request("/a", method: "HEAD"), count: 5000)
        try connection.receive(requests.utf8)
        let count = try connection.sentText().split(separator: "HTTP/1.1 200 OK").count
        // Each response goes out at once, so no request has to wait.
        #expect(count == 5000)
    }
}
