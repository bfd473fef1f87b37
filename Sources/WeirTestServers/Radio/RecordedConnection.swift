// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A request that a station has had, and what it sent.
public struct RecordedConnection: Sendable, Hashable, Codable {
    /// Which one it is, from 0, since the record was cleared last.
    public internal(set) var number: Int
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
    /// How it behaves; `nil` if it asked for no stream.
    public let behaviour: RadioBehaviour?
    /// Where in the station's sound it joined.
    public let audioStart: Int64
    /// How many bytes of sound, or of what stood in its place, have gone into the socket.
    public internal(set) var audioBytesSent: Int64 = 0
    /// How many bytes have gone into the socket, with head, titles and framing.
    public internal(set) var bytesSent: Int64 = 0
    /// Whether the connection has ended.
    public internal(set) var hasEnded = false

    /// The value of a field, whatever the case of its name; of a doubled one the first.
    public func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
