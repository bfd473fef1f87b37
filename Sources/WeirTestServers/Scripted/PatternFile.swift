// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirTestKit

/// A file on a correct server, as the bytes of its answers.
package struct PatternFile: Sendable {
    package var length: Int64
    package var seed: UInt64
    package var isLengthKnown: Bool
    /// Whether an answer of unknown length marks its end, or just ends with its connection.
    package var provesEnd: Bool
    /// The position at which the server stops until the gate has opened.
    package var hold: (offset: Int64, gate: Gate)?

    package init(
        length: Int64 = 500_000,
        seed: UInt64 = 1,
        isLengthKnown: Bool = true,
        provesEnd: Bool = true,
        hold: (offset: Int64, gate: Gate)? = nil
    ) {
        self.length = length
        self.seed = seed
        self.isLengthKnown = isLengthKnown
        self.provesEnd = provesEnd
        self.hold = hold
    }

    package var entityTag: String { "\"\(self.seed)-\(self.length)\"" }

    /// The answer to a request.
    package func answer(_ request: ScriptedServer.Request) -> [ScriptedServer.Step] {
        let fields = "Content-Type: audio/mpeg\r\nETag: \(self.entityTag)\r\n"
        guard self.isLengthKnown || self.provesEnd else {
            let head = "HTTP/1.1 200 OK\r\n\(fields)Connection: close\r\n\r\n"
            return [.text(head)] + self.steps(0..<self.length) + [.close]
        }
        guard self.isLengthKnown else {
            let head = "HTTP/1.1 200 OK\r\n\(fields)Transfer-Encoding: chunked\r\n\r\n"
            return [.text(head)] + self.steps(0..<self.length, isChunked: true) + [
                .text("0\r\n\r\n")
            ]
        }
        let condition = request.headers["if-range"]
        guard let field = request.headers["range"], condition == nil || condition == self.entityTag,
            let range = self.range(field)
        else {
            let head =
                "HTTP/1.1 200 OK\r\n\(fields)Accept-Ranges: bytes\r\n"
                + "Content-Length: \(self.length)\r\n\r\n"
            return [.text(head)] + self.steps(0..<self.length)
        }
        guard range.lowerBound < self.length, !range.isEmpty else {
            return [
                .text(
                    "HTTP/1.1 416 Range Not Satisfiable\r\nContent-Range: bytes */\(self.length)\r\n"
                        + "Content-Length: 0\r\n\r\n"
                )
            ]
        }
        let head =
            "HTTP/1.1 206 Partial Content\r\n\(fields)Content-Length: \(range.count)\r\n"
            + "Content-Range: bytes \(range.lowerBound)-\(range.upperBound - 1)/\(self.length)\r\n\r\n"
        return [.text(head)] + self.steps(range)
    }

    private func steps(_ range: Range<Int64>, isChunked: Bool = false) -> [ScriptedServer.Step] {
        var cuts = [range.lowerBound, range.upperBound]
        if let hold, range.contains(hold.offset) { cuts.insert(hold.offset, at: 1) }
        var steps: [ScriptedServer.Step] = []
        for (lower, upper) in zip(cuts, cuts.dropFirst()) {
            if let hold, lower == hold.offset, hold.offset < range.upperBound {
                steps.append(.hold(hold.gate))
            }
            guard lower < upper else { continue }
            steps.append(
                isChunked
                    ? .chunkedPattern(lower..<upper, seed: self.seed)
                    : .pattern(lower..<upper, seed: self.seed)
            )
        }
        return steps
    }

    private func range(_ field: String) -> Range<Int64>? {
        guard field.hasPrefix("bytes=") else { return nil }
        let bounds = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2 else { return nil }
        if bounds[0].isEmpty {
            return Int64(bounds[1]).map { max(0, self.length - $0)..<self.length }
        }
        guard let lower = Int64(bounds[0]) else { return nil }
        guard lower < self.length else { return self.length..<self.length }
        let last = bounds[1].isEmpty ? self.length - 1 : min(Int64(bounds[1]) ?? 0, self.length - 1)
        return last >= lower ? lower..<(last + 1) : nil
    }
}
