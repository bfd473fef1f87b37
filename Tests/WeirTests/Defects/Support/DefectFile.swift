// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit
import WeirTestServers

/// A file as an origin serves it: correctly, unless a test changes it.
struct DefectFile: Sendable {
    var bytes: [UInt8]
    var entityTag: String? = "\"1\""
    var mediaType: String? = "audio/mpeg"
    /// Further lines for the head of every response.
    var fields: [String] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// A file with a pattern that does not repeat.
    init(length: Int64 = 400_000, seed: UInt64 = 1) {
        self.init(PatternBytes.bytes(in: 0..<length, seed: seed))
        self.entityTag = "\"\(seed)\""
    }

    /// The correct response.
    func answer(_ request: ScriptedServer.Request) -> [ScriptedServer.Step] {
        guard let range = request.range else { return self.whole() }
        if let condition = request.headers["if-range"], condition != self.entityTag {
            return self.whole()
        }
        return self.part(range)
    }

    /// A response with the whole file and its length.
    func whole(status: Int = 200) -> [ScriptedServer.Step] {
        [.text(self.head(status, ["Content-Length: \(self.bytes.count)"])), .bytes(self.bytes)]
    }

    /// A response with the whole file in the chunked coding, without a length; `limit` cuts it off.
    func chunked(cutAfter limit: Int? = nil) -> [ScriptedServer.Step] {
        let head = ScriptedServer.Step.text(self.head(200, ["Transfer-Encoding: chunked"]))
        let sent = self.bytes.prefix(limit ?? self.bytes.count)
        let size = String(sent.count, radix: 16)
        return [head, .text("\(size)\r\n"), .bytes(Array(sent)), .text("\r\n")]
            + [limit == nil ? .text("0\r\n\r\n") : .close]
    }

    /// A response with a part of the file.
    ///
    /// - Parameters:
    ///   - range: the requested range; bytes past the end are left out.
    ///   - limit: the largest count of bytes to send; the head names the smaller range.
    ///   - namesRange: whether the head has a `Content-Range`.
    /// - Returns: the response; 416 if the range starts at or past the end.
    func part(
        _ range: Range<Int64>,
        limit: Int64 = .max,
        namesRange: Bool = true
    ) -> [ScriptedServer.Step] {
        let total = Int64(self.bytes.count)
        guard range.lowerBound < total else {
            return [
                .text(self.head(416, ["Content-Range: bytes */\(total)", "Content-Length: 0"]))
            ]
        }
        let end = min(range.upperBound, total)
        let upper = end - range.lowerBound > limit ? range.lowerBound + limit : end
        var fields = ["Content-Length: \(upper - range.lowerBound)"]
        if namesRange {
            fields.append("Content-Range: bytes \(range.lowerBound)-\(upper - 1)/\(total)")
        }
        return [
            .text(self.head(206, fields)),
            .bytes(Array(self.bytes[Int(range.lowerBound)..<Int(upper)])),
        ]
    }

    /// The head of a response.
    func head(_ status: Int, _ fields: [String]) -> String {
        var lines = ["HTTP/1.1 \(status) Said So"] + fields + self.fields
        if let mediaType { lines.append("Content-Type: \(mediaType)") }
        if let entityTag { lines.append("ETag: \(entityTag)") }
        return (lines + ["", ""]).joined(separator: "\r\n")
    }

    /// A response with a text instead of media.
    static func text(_ status: Int, _ type: String, _ text: String) -> [ScriptedServer.Step] {
        [
            .text(
                "HTTP/1.1 \(status) Said So\r\nContent-Type: \(type)\r\n"
                    + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)"
            )
        ]
    }

    /// A redirect.
    static func redirect(to target: String) -> [ScriptedServer.Step] {
        [.text("HTTP/1.1 302 Found\r\nLocation: \(target)\r\nContent-Length: 0\r\n\r\n")]
    }
}
