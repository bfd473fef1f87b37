// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

extension ResponseHead {
    /// The most bytes that the head takes: all constant pieces together, and what is not constant.
    ///
    /// Below 1024, so that the memory for it is taken from the stack.
    var encodedSizeLimit: Int {
        896 + (self.contentType?.utf8.count ?? 0) + (self.crossOrigin?.granted?.utf8.count ?? 0)
            + (self.entityTag?.size ?? 0)
    }

    /// Writes the head as it goes over the wire, the empty line at its end included.
    func write(into buffer: inout ByteBuffer) {
        buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.encodedSizeLimit) { space in
            var writer = HeadWriter(into: space)
            self.write(into: &writer)
            return writer.count
        }
    }

    /// Lends the bytes as they go over the wire for the time of the call.
    func withEncoded<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeTemporaryAllocation(byteCount: self.encodedSizeLimit, alignment: 1) { space in
            var writer = HeadWriter(into: space)
            self.write(into: &writer)
            return body(UnsafeRawBufferPointer(rebasing: space.prefix(writer.count)))
        }
    }

    private func write(into writer: inout HeadWriter) {
        Self.writeStatusLine(self.status, into: &writer)
        if let type = self.contentType {
            writer.write("Content-Type: ")
            writer.write(text: type)
            writer.write("\r\n")
        }
        if let length = self.contentLength {
            writer.write("Content-Length: ")
            writer.write(decimal: length)
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
            writer.write(decimal: age)
            writer.write("\r\n")
        }
        if let tag = self.entityTag {
            // A player may keep the answer and ask with the tag whether it is still good.
            writer.write("ETag: ")
            writer.write(tag)
            writer.write("\r\nCache-Control: private, no-cache\r\n")
        } else {
            writer.write("Cache-Control: no-store\r\n")
        }
        writer.write("X-Content-Type-Options: nosniff\r\n")
        if self.listsMethods { writer.write("Allow: GET, HEAD, OPTIONS\r\n") }
        if self.isChallenge {
            // Every 401 has one (RFC 9110 §11.6.1). No player knows the scheme, so none asks its user for a password:
            // the credential that is wanted is Weir's.
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

    private func writeRangeFields(into writer: inout HeadWriter) {
        switch self.contentRange {
        case .part(let part, let total):
            writer.write("Content-Range: bytes ")
            writer.write(decimal: part.lowerBound)
            writer.write("-")
            writer.write(decimal: part.upperBound - 1)
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

    /// Always in the words of HTTP/1.1, whatever the client speaks (RFC 9110 §2.5).
    private static func writeStatusLine(_ status: Int, into writer: inout HeadWriter) {
        switch status {
        case 200: writer.write("HTTP/1.1 200 OK\r\n")
        case 204: writer.write("HTTP/1.1 204 No Content\r\n")
        case 206: writer.write("HTTP/1.1 206 Partial Content\r\n")
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
