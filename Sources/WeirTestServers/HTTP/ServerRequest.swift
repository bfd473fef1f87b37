// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A request as received: nothing decoded, nothing merged.
struct ServerRequest: Sendable {
    var method: String
    /// The path and the query, as in the first line.
    var target: String
    var fields: [HeaderField] = []
    var body: [UInt8] = []

    /// The target up to its query, still escaped.
    var path: String { String(self.target.prefix { $0 != "?" }) }

    /// The query after the first question mark, still escaped.
    var query: String? {
        self.target.firstIndex(of: "?").map { String(self.target[self.target.index(after: $0)...]) }
    }

    /// Every value of a field, in the order of arrival.
    func values(_ name: String) -> [String] {
        self.fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The first value of a field; the checks have refused a doubled field.
    func value(_ name: String) -> String? { self.values(name).first }
}

/// A request to a test server, and its outcome.
public struct RecordedRequest: Sendable, Hashable, Codable {
    /// The server that received it, such as `api`.
    public let server: String
    /// The method.
    public let method: String
    /// The path and the query, as received.
    public let target: String
    /// The fields, as received.
    public let headers: [HeaderField]
    /// When it arrived, in Unix seconds.
    public let time: Double
    /// The status of the answer.
    public let status: Int
    /// The client's mistake, as a sentence; `nil` without a mistake.
    public let violation: String?
    /// How many bytes of the body have been written to the socket so far.
    public internal(set) var bodyBytesSent: Int64 = 0
    /// Whether the sending has ended, completely or not.
    public internal(set) var hasEnded = false

    /// The first value of a field, whatever the case of its name.
    public func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// One header field of a message.
public struct HeaderField: Sendable, Hashable, Codable {
    /// The name, in the case in which it was sent.
    public var name: String
    /// The value, without the spaces around it.
    public var value: String

    /// Makes a field.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
