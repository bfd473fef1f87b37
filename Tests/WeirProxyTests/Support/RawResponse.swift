// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A response as a client sees it.
struct RawResponse: Sendable {
    enum Malformed: Error {
        case noHead
        case shortBody
        case noChunk
    }

    let status: Int
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    /// Reads a head with its empty line.
    init(head: [UInt8]) throws {
        let lines = String(decoding: head, as: UTF8.self).split(
            separator: "\r\n",
            omittingEmptySubsequences: false
        )
        let words = lines[0].split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Malformed.noHead
        }
        self.status = status
        self.fields = lines.dropFirst().filter { !$0.isEmpty }.map { line in
            let parts = line.split(separator: ": ", maxSplits: 1)
            return (String(parts[0]), parts.count == 2 ? String(parts[1]) : "")
        }
    }

    /// The value of a field; `nil` if the response has the field twice or not at all.
    subscript(_ name: String) -> String? {
        let values = self.fields.filter { $0.name == name }.map(\.value)
        return values.count == 1 ? values[0] : nil
    }

    var contentLength: Int? { self["Content-Length"].flatMap { Int($0) } }

    var text: String { String(decoding: self.body, as: UTF8.self) }
}
