// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// The head of a response, before it is encoded.
struct ResponseHead: Hashable, Sendable {
    /// How the client knows where the body ends (RFC 9112 §6).
    enum Framing: Hashable, Sendable {
        /// By its length, or there is no body.
        case counted
        /// By the last of its chunks.
        case chunked
        /// By the end of the connection: HTTP/1.0 has no chunks.
        case untilClose
    }

    /// The `Content-Range` field (RFC 9110 §14.4).
    enum ContentRange: Hashable, Sendable {
        case part(Range<Int64>, of: Int64)
        case unsatisfied(length: Int64)
    }

    /// The permission for pages of other sites to read the answer.
    struct CrossOrigin: Hashable, Sendable {
        /// The allowed site that asks; `nil` if no allowed site asks.
        var granted: String?
        /// Whether a browser asks for the permission in advance (preflight).
        var isPreflight = false
        /// Whether the preflight request comes from outside of this machine's network.
        var isFromPublicNetwork = false
    }

    var status: Int
    var contentType: String?
    var contentLength: Int64?
    var framing = Framing.counted
    var contentRange: ContentRange?
    var acceptsRanges = false
    var entityTag: ServedEntityTag?
    /// The time of the response, in seconds since 1970; `nil` without a clock.
    var date: Int64?
    /// How many seconds ago the origin confirmed these bytes; `nil` if that is not known.
    var age: Int64?
    /// Whether the head has a challenge, for 401.
    var isChallenge = false
    var listsMethods = false
    var retryAfter: Int?
    /// Whether the connection ends with the response.
    var closes: Bool
    /// Whether the client speaks HTTP/1.0, so that the head must say that the connection stays
    /// open.
    var isHTTP10: Bool
    /// The cross-origin fields; `nil` if no site is allowed at all.
    var crossOrigin: CrossOrigin?

    /// The head of a resource.
    init(
        _ plan: ResponsePlan,
        of description: ResourceDescription,
        to request: RequestHead,
        closing: Bool
    ) {
        self.status = plan.status
        self.contentLength = plan.contentLength
        self.entityTag = ServedEntityTag(description)
        self.acceptsRanges = description.length != nil
        self.isHTTP10 = request.isHTTP10
        self.closes = closing
        if plan.status == 200 || plan.status == 206 {
            self.contentType = description.mediaType?.essence ?? "application/octet-stream"
        }
        if let length = description.length {
            if case .bytes(let part) = plan.body, plan.status == 206 {
                self.contentRange = .part(part, of: length)
            } else if plan.status == 416 {
                self.contentRange = .unsatisfied(length: length)
            }
        }
        if plan.body == .untilEnd {
            self.framing = request.isHTTP10 ? .untilClose : .chunked
            self.closes = closing || request.isHTTP10
        }
    }

    /// The head of a plain answer.
    init(_ answer: PlainAnswer, isHTTP10: Bool, closing: Bool) {
        self.status = answer.status
        if let sentence = answer.sentence {
            self.contentType = "text/plain; charset=utf-8"
            self.contentLength = Int64(sentence.utf8.count + 1)
        } else if answer.status != 204 {
            self.contentLength = 0
        }
        self.contentRange = answer.unsatisfiedLength.map { .unsatisfied(length: $0) }
        self.acceptsRanges = answer.status == 416
        self.listsMethods = answer.listsMethods
        self.isChallenge = answer.status == 401
        self.retryAfter = answer.retryAfter
        self.closes = closing || answer.closes
        self.isHTTP10 = isHTTP10
    }
}

extension ResponseHead {
    /// The most bytes of all constant pieces together.
    static let usualSize = 896

    /// The most bytes of the head: all constant pieces together, and the variable ones.
    var encodedSizeLimit: Int {
        Self.usualSize + (self.contentType?.utf8.count ?? 0)
            + (self.crossOrigin?.granted?.utf8.count ?? 0)
            + (self.entityTag?.size ?? 0)
    }

    /// Writes the encoded head, with the empty line at its end.
    func write(into buffer: inout ByteBuffer) {
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.encodedSizeLimit) { space in
            var writer = HeadWriter(into: space)
            self.write(into: &writer)
            return writer.count
        }
    }

    /// Writes the encoded head, or a template of it.
    func write(into writer: inout HeadWriter) {
        Self.writeStatusLine(self.status, into: &writer)
        if let type = self.contentType {
            writer.write("Content-Type: ")
            writer.write(text: type)
            writer.write("\r\n")
        }
        if let length = self.contentLength {
            writer.write("Content-Length: ")
            writer.write(varying: length)
            writer.write("\r\n")
        }
        if self.framing == .chunked { writer.write("Transfer-Encoding: chunked\r\n") }
        self.writeRangeFields(into: &writer)
        if let date = self.date {
            writer.write("Date: ")
            writer.write(date: date)
            writer.write("\r\n")
        }
        if let age = self.age {
            writer.write("Age: ")
            writer.write(varying: age)
            writer.write("\r\n")
        }
        if let tag = self.entityTag {
            // A player may keep the answer, and use the tag to ask whether the answer is still
            // valid.
            writer.write("ETag: ")
            writer.write(tag)
            writer.write("\r\nCache-Control: private, no-cache\r\n")
        } else {
            writer.write("Cache-Control: no-store\r\n")
        }
        writer.write("X-Content-Type-Options: nosniff\r\n")
        if let type = self.contentType, !Self.isInert(type) {
            // Content that a browser would run comes from an origin. It must not share the site of
            // the page and of all media.
            writer.write(
                "Content-Security-Policy: sandbox; default-src 'none'; style-src 'unsafe-inline'\r\n"
            )
        }
        if self.listsMethods { writer.write("Allow: GET, HEAD, OPTIONS\r\n") }
        if self.isChallenge {
            // Every 401 has a challenge (RFC 9110 §11.6.1). No player knows the scheme, so no
            // player asks its user for a password: the missing credential is Weir's.
            writer.write("WWW-Authenticate: Weir-Origin\r\n")
        }
        if let seconds = self.retryAfter {
            writer.write("Retry-After: ")
            writer.write(decimal: Int64(seconds))
            writer.write("\r\n")
        }
        if let crossOrigin = self.crossOrigin { Self.write(crossOrigin, into: &writer) }
        if self.closes {
            writer.write("Connection: close\r\n")
        } else if self.isHTTP10 {
            writer.write("Connection: keep-alive\r\n")
        }
        writer.write("\r\n")
    }

    /// Whether a browser that opens a resource of a media type runs nothing in it.
    private static func isInert(_ type: String) -> Bool {
        let name = type.utf8.prefix { $0 != UInt8(ascii: ";") }
        // An XML document may contain scripts, whatever its type is called.
        guard !name.suffix(4).elementsEqual("+xml".utf8) else { return false }
        if ["audio/", "video/", "image/"].contains(where: { name.starts(with: $0.utf8) }) {
            return !name.starts(with: "image/svg".utf8)
        }
        return ["application/octet-stream", "text/plain", "text/vtt", "application/pdf"]
            .contains { name.elementsEqual($0.utf8) }
    }

    private func writeRangeFields(into writer: inout HeadWriter) {
        switch self.contentRange {
        case .part(let part, let total):
            writer.write("Content-Range: bytes ")
            writer.write(varying: part.lowerBound)
            writer.write("-")
            writer.write(varying: part.upperBound - 1)
            writer.write("/")
            writer.write(decimal: total)
            writer.write("\r\n")
        case .unsatisfied(let total):
            writer.write("Content-Range: bytes */")
            writer.write(decimal: total)
            writer.write("\r\n")
        case nil:
            break
        }
        if self.acceptsRanges { writer.write("Accept-Ranges: bytes\r\n") }
    }

    private static func write(_ crossOrigin: CrossOrigin, into writer: inout HeadWriter) {
        writer.write("Vary: Origin\r\n")
        guard let granted = crossOrigin.granted else { return }
        writer.write("Access-Control-Allow-Origin: ")
        writer.write(text: granted)
        writer.write("\r\n")
        guard crossOrigin.isPreflight else {
            writer.write(
                "Access-Control-Expose-Headers: Accept-Ranges, Content-Length, Content-Range, ETag\r\n"
            )
            return
        }
        writer.write("Access-Control-Allow-Methods: GET, HEAD\r\n")
        writer.write("Access-Control-Allow-Headers: If-Match, If-None-Match, If-Range, Range\r\n")
        writer.write("Access-Control-Max-Age: 600\r\n")
        if crossOrigin.isFromPublicNetwork {
            writer.write("Access-Control-Allow-Private-Network: true\r\n")
        }
    }

    /// Writes the status line, always of HTTP/1.1, whatever version the client speaks (RFC 9110
    /// §2.5).
    static func writeStatusLine(_ status: Int, into writer: inout HeadWriter) {
        switch status {
        case 200: writer.write("HTTP/1.1 200 OK\r\n")
        case 204: writer.write("HTTP/1.1 204 No Content\r\n")
        case 206: writer.write("HTTP/1.1 206 Partial Content\r\n")
        case 308: writer.write("HTTP/1.1 308 Permanent Redirect\r\n")
        case 409: writer.write("HTTP/1.1 409 Conflict\r\n")
        case 304: writer.write("HTTP/1.1 304 Not Modified\r\n")
        case 400: writer.write("HTTP/1.1 400 Bad Request\r\n")
        case 401: writer.write("HTTP/1.1 401 Unauthorized\r\n")
        case 403: writer.write("HTTP/1.1 403 Forbidden\r\n")
        case 404: writer.write("HTTP/1.1 404 Not Found\r\n")
        case 405: writer.write("HTTP/1.1 405 Method Not Allowed\r\n")
        case 410: writer.write("HTTP/1.1 410 Gone\r\n")
        case 412: writer.write("HTTP/1.1 412 Precondition Failed\r\n")
        case 414: writer.write("HTTP/1.1 414 URI Too Long\r\n")
        case 416: writer.write("HTTP/1.1 416 Range Not Satisfiable\r\n")
        case 421: writer.write("HTTP/1.1 421 Misdirected Request\r\n")
        case 431: writer.write("HTTP/1.1 431 Request Header Fields Too Large\r\n")
        case 500: writer.write("HTTP/1.1 500 Internal Server Error\r\n")
        case 502: writer.write("HTTP/1.1 502 Bad Gateway\r\n")
        case 503: writer.write("HTTP/1.1 503 Service Unavailable\r\n")
        case 504: writer.write("HTTP/1.1 504 Gateway Timeout\r\n")
        case 505: writer.write("HTTP/1.1 505 HTTP Version Not Supported\r\n")
        default:
            writer.write("HTTP/1.1 ")
            writer.write(decimal: Int64(status))
            writer.write(" \r\n")
        }
    }
}
