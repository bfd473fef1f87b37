// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// A head as a station sends it, and as a parser is to see it.
struct StationHead: Sendable, CustomTestStringConvertible {
    let name: String
    let sent: [UInt8]
    let seen: [UInt8]

    init(_ name: String, _ sent: String, _ seen: String) {
        self.name = name
        self.sent = Array(sent.utf8)
        self.seen = Array(seen.utf8)
    }

    init(_ name: String, _ sent: [UInt8], _ seen: String) {
        self.name = name
        self.sent = sent
        self.seen = Array(seen.utf8)
    }

    var testDescription: String { self.name }

    static let all = [
        StationHead(
            "a polite one",
            "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nX:y\r\nZ: \r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nX:y\r\nZ: \r\n\r\n"
        ),
        StationHead(
            "ICY",
            "ICY 200 OK\r\nicy-br:128\r\n\r\n",
            "HTTP/1.0 200 OK\r\nicy-br:128\r\n\r\n"
        ),
        StationHead("ICY alone", "ICY 200\r\n\r\n", "HTTP/1.0 200\r\n\r\n"),
        StationHead("small ICY, two blanks", "icy  404 No\n\n", "HTTP/1.0 404 No\r\n\r\n"),
        StationHead(
            "no source",
            "ICY 401 Service Unavailable\r\n\r\n",
            "HTTP/1.0 503 Service Unavailable\r\n\r\n"
        ),
        StationHead("full", "ICY 400 Server Full\n\n", "HTTP/1.0 503 Server Full\r\n\r\n"),
        StationHead(
            "line feeds only",
            "HTTP/1.0 200 OK\nicy-name: One\nicy-br:64\n\n",
            "HTTP/1.0 200 OK\r\nicy-name: One\r\nicy-br:64\r\n\r\n"
        ),
        StationHead(
            "both ends mixed, and two returns",
            "ICY 200 OK\r\nA:1\nB:2\r\r\n\n",
            "HTTP/1.0 200 OK\r\nA:1\r\nB:2\r\n\r\n"
        ),
        StationHead(
            "blanks before the colon",
            "HTTP/1.0 200 OK\r\nicy-name : One\r\nicy-br\t :128\r\n\r\n",
            "HTTP/1.0 200 OK\r\nicy-name: One\r\nicy-br:128\r\n\r\n"
        ),
        StationHead(
            "lines that are no fields",
            "ICY 200 OK\r\nnonsense\r\na b: c\r\n: d\r\n continued\r\nE:f\r\n\r\n",
            "HTTP/1.0 200 OK\r\nE:f\r\n\r\n"
        ),
        StationHead(
            "lengths that are none, and a second one",
            "ICY 200 OK\r\nContent-Length: -1\r\nContent-Length:\r\nContent-Length: 5\r\n"
                + "content-length: 6\r\n\r\n",
            "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n"
        ),
        StationHead(
            "ISO 8859-1",
            Array("ICY 200 OK\r\nicy-name: Caf".utf8) + [0xE9] + Array("\r\n\r\n".utf8),
            "HTTP/1.0 200 OK\r\nicy-name: Café\r\n\r\n"
        ),
        StationHead(
            "UTF-8",
            "ICY 200 OK\r\nicy-name: Café\r\n\r\n",
            "HTTP/1.0 200 OK\r\nicy-name: Café\r\n\r\n"
        ),
        StationHead(
            "control characters",
            Array("ICY 200 O".utf8) + [0x01] + Array("K\r\nA: b".utf8) + [0x00, 0x7F]
                + Array("c\td\r\n\r\n".utf8),
            "HTTP/1.0 200 O K\r\nA: b  c\td\r\n\r\n"
        ),
        StationHead(
            "empty lines before it",
            "\r\n\nICY 200 OK\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\n"
        ),
        StationHead(
            "interim answers before it",
            "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Hints\nLink: a\n\nICY 200 OK\nA: b\n\n",
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: a\r\n\r\n"
                + "HTTP/1.0 200 OK\r\nA: b\r\n\r\n"
        ),
    ]
}
