// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirTestKit

/// A file on a correct server, with its header fields; a test can change each reply.
struct ScriptedFile: Sendable {
    var length: Int64 = 10_000
    var seed: UInt64 = 1
    var headers: [(String, String)] = [("ETag", "\"v1\""), ("Content-Type", "audio/mpeg")]
    var answersRanges = true
    var tellsLength = true
    /// The count of bytes in one piece.
    var piece = 1_000

    /// The server's response.
    ///
    /// - Parameters:
    ///   - request: asks for a range, or for the whole file.
    ///   - limit: the count of bytes after which the body breaks off.
    ///   - after: the steps that follow the break.
    /// - Returns: the status, the header fields and the body.
    func reply(
        to request: HTTPTransportRequest,
        limit: Int64 = .max,
        after: [ScriptedBody.Step] = [.fail(HTTPTransportError(.connectionLost, "reset"))]
    ) -> ScriptedTransport.Reply {
        let range = self.answersRanges ? self.range(request.headers["Range"]) : nil
        let isConditional = request.headers["If-Range"] != nil
        let holds = request.headers["If-Range"] == self.headers.first { $0.0 == "ETag" }?.1
        guard let range, !isConditional || holds else {
            var headers = self.headers
            if self.tellsLength { headers.append(("Content-Length", "\(self.length)")) }
            return .answer(
                200,
                headers,
                self.steps(0..<self.length, limit, after),
                isEndProven: true
            )
        }
        guard range.lowerBound < self.length else {
            return .answer(416, [("Content-Range", "bytes */\(self.length)")])
        }
        let total = self.tellsLength ? "\(self.length)" : "*"
        let headers =
            self.headers + [
                ("Content-Length", "\(range.count)"),
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)"),
            ]
        return .answer(206, headers, self.steps(range, limit, after), isEndProven: true)
    }

    /// The pieces of a range.
    func steps(
        _ range: Range<Int64>,
        _ limit: Int64 = .max,
        _ after: [ScriptedBody.Step] = []
    ) -> [ScriptedBody.Step] {
        let end = limit < Int64(range.count) ? range.lowerBound + limit : range.upperBound
        var steps: [ScriptedBody.Step] = []
        var offset = range.lowerBound
        while offset < end {
            let next = min(offset + Int64(self.piece), end)
            steps.append(.bytes(PatternBytes.bytes(in: offset..<next, seed: self.seed)))
            offset = next
        }
        return end < range.upperBound ? steps + after : steps
    }

    private func range(_ field: String?) -> Range<Int64>? {
        guard let field, field.hasPrefix("bytes=") else { return nil }
        let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        if bounds[0].isEmpty {
            guard let count = Int64(bounds[1]) else { return nil }
            return max(0, self.length - count)..<max(self.length, 1)
        }
        guard let lower = Int64(bounds[0]) else { return nil }
        let last = Int64(bounds[1]) ?? Int64.max - 1
        guard lower < self.length else { return (.max - 1)..<Int64.max }
        return lower..<(min(last, self.length - 1) + 1)
    }
}
