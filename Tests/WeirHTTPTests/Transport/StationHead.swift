// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// A head as a station sends it, and the status and fields that the parser must give.
struct StationHead: Sendable, CustomTestStringConvertible {
    let name: String
    let sent: [UInt8]
    let status: Int
    let fields: [String]

    init(_ name: String, _ sent: String, _ status: Int, _ fields: String...) {
        (self.name, self.sent, self.status, self.fields) = (name, Array(sent.utf8), status, fields)
    }

    init(_ name: String, _ sent: [UInt8], _ status: Int, _ fields: String...) {
        (self.name, self.sent, self.status, self.fields) = (name, sent, status, fields)
    }

    var testDescription: String { self.name }

    static let all = [
        StationHead(
            "a well-formed head",
            "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nX:y\r\nZ: \r\n\r\n",
            200,
            "Content-Type: audio/mpeg",
            "X: y",
            "Z: "
        ),
        StationHead("ICY", "ICY 200 OK\r\nicy-br:128\r\n\r\n", 200, "icy-br: 128"),
        StationHead("ICY alone", "ICY 200\r\n\r\n", 200),
        StationHead("ICY in small letters, two blanks", "icy  404 No\n\n", 404),
        StationHead("no source", "ICY 401 Service Unavailable\r\n\r\n", 503),
        StationHead("full", "ICY 400 Server Full\n\n", 503),
        StationHead(
            "line feeds only",
            "HTTP/1.0 200 OK\nicy-name: One\nicy-br:64\n\n",
            200,
            "icy-name: One",
            "icy-br: 64"
        ),
        StationHead(
            "CR LF and LF mixed, and a line that ends with two CR",
            "ICY 200 OK\r\nA:1\nB:2\r\r\n\n",
            200,
            "A: 1",
            "B: 2"
        ),
        StationHead(
            "blanks before the colon",
            "HTTP/1.0 200 OK\r\nicy-name : One\r\nicy-br\t :128\r\n\r\n",
            200,
            "icy-name: One",
            "icy-br: 128"
        ),
        StationHead(
            "lines that are not fields, and a continued one",
            "ICY 200 OK\r\nnonsense\r\na b: c\r\n: d\r\n continued\r\nE:f\r\n\t g\r\n\r\n",
            200,
            "E: f g"
        ),
        StationHead(
            "invalid lengths, and a second length",
            "ICY 200 OK\r\nContent-Length: -1\r\nContent-Length:\r\nContent-Length: 5\r\n"
                + "content-length: 6\r\n\r\n",
            200,
            "Content-Length: 5"
        ),
        StationHead(
            "ISO 8859-1",
            Array("ICY 200 OK\r\nicy-name: Caf".utf8) + [0xE9] + Array("\r\n\r\n".utf8),
            200,
            "icy-name: Café"
        ),
        StationHead(
            "UTF-8",
            "ICY 200 OK\r\nicy-name: Café\r\n\r\n",
            200,
            "icy-name: Café"
        ),
        StationHead(
            "control characters",
            Array("ICY 200 O".utf8) + [0x01] + Array("K\r\nA: b".utf8) + [0x00, 0x7F]
                + Array("c\td\r\n\r\n".utf8),
            200,
            "A: b  c\td"
        ),
        StationHead("empty lines before it", "\r\n\nICY 200 OK\r\n\r\n", 200),
        StationHead(
            "interim answers before it",
            "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Hints\nLink: a\n\nICY 200 OK\nA: b\n\n",
            200,
            "A: b"
        ),
    ]
}
