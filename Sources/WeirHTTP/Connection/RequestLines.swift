// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Writes a request in the form of RFC 9112 §3.
enum RequestLines {
    /// The bytes of the head and of the body behind it.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - target: the request target, byte for byte.
    ///   - extra: fields of this connection, such as a proxy's credentials.
    /// - Returns: the bytes to send.
    /// - Throws: `malformed` for a method, a target or a field that could hide another line or another request.
    static func bytes(
        _ request: HTTPTransportRequest,
        target: String,
        extra: [(name: String, value: String)] = []
    ) throws(HTTPTransportError) -> [UInt8] {
        // A field that gives the body another end could make the server read a second request in the body.
        let length = String(request.body.count)
        guard !request.headers.contains("Transfer-Encoding"),
            request.headers.values(of: "Content-Length").allSatisfy({ $0 == length })
        else { throw HTTPTransportError(.malformed, "a header that cannot be sent") }
        var fields = request.headers.headers.map { ($0.name, $0.value) }
        if !request.headers.contains("Host") {
            fields.insert(("Host", request.url.authority), at: 0)
        }
        let hasLength = ["POST", "PUT", "PATCH"].contains(request.method) || !request.body.isEmpty
        if hasLength, !request.headers.contains("Content-Length") {
            fields.append(("Content-Length", length))
        }
        return try self.bytes(request.method, target, fields + extra) + request.body
    }

    /// The bytes of the head only.
    static func bytes(
        _ method: String,
        _ target: String,
        _ fields: [(String, String)]
    ) throws(HTTPTransportError) -> [UInt8] {
        guard !method.isEmpty, method.utf8.allSatisfy(\.isTokenCharacter), !target.isEmpty,
            target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { throw HTTPTransportError(.malformed, "a request line that cannot be sent") }
        var text = "\(method) \(target) HTTP/1.1\r\n"
        for (name, value) in fields {
            guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenCharacter),
                value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 })
            else { throw HTTPTransportError(.malformed, "a header that cannot be sent") }
            text += "\(name): \(value)\r\n"
        }
        return Array(text.utf8) + [.carriageReturn, .lineFeed]
    }
}
