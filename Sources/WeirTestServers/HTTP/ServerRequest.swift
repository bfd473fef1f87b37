// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A request as it came: nothing decoded, nothing merged.
struct ServerRequest: Sendable {
    var method: String
    /// The path and the query, as they stood in the first line.
    var target: String
    var fields: [HeaderField] = []
    var body: [UInt8] = []

    /// The target up to its query, still escaped.
    var path: String { String(self.target.prefix { $0 != "?" }) }

    /// What follows the first question mark, still escaped.
    var query: String? {
        self.target.firstIndex(of: "?").map { String(self.target[self.target.index(after: $0)...]) }
    }

    /// Every value of a field, in the order in which they came.
    func values(_ name: String) -> [String] {
        self.fields.filter { $0.name.lowercased() == name }.map(\.value)
    }

    /// The value of a field that came once; of a doubled one the first, which strictness has refused.
    func value(_ name: String) -> String? { self.values(name).first }
}

/// A request that a test server has had, and what became of it.
public struct RecordedRequest: Sendable, Hashable, Codable {
    /// The server that it came to, as `api`.
    public let server: String
    /// The method.
    public let method: String
    /// The path and the query, as they came.
    public let target: String
    /// The fields, as they came.
    public let headers: [HeaderField]
    /// When it came, in Unix seconds.
    public let time: Double
    /// The status that was decided on.
    public let status: Int
    /// What the client did wrong, as a sentence; `nil` if it did all right.
    public let violation: String?
    /// How many bytes of the body have gone into the socket by now.
    public internal(set) var bodyBytesSent: Int64 = 0
    /// Whether the sending has ended, whole or not.
    public internal(set) var hasEnded = false

    /// The value of a field, whatever the case of its name; of a doubled one the first.
    public func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}

/// One header field, as it stood in a message.
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
