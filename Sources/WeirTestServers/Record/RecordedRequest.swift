// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
