// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// The calls of tests to a running station.
extension RadioServer {
    /// The station's address without a path, as many stations have it: `http://127.0.0.1:8000`.
    public var url: String { "http://127.0.0.1:\(self.state.value.port)" }

    /// The stream.
    public var streamURL: String { "\(self.url)/stream" }

    /// A playlist in PLS, with absolute entries.
    public var plsURL: String { "\(self.url)/listen.pls" }

    /// A playlist in M3U, with relative entries.
    public var m3uURL: String { "\(self.url)/listen.m3u" }

    /// The address at which other programs read the record and set the behaviours; `nil` if they
    /// cannot.
    public var controlURL: String? { self.state.value.controlURL }

    /// The behaviours of the next connections, in order; the last one applies to all later
    /// connections.
    ///
    /// After a change, the next connection gets the first behaviour of the list.
    public var behaviours: [RadioBehaviour] {
        get { self.state.value.machine.behaviours }
        set { self.state.update { $0.machine.behaviours = newValue } }
    }

    /// Whether connections are accepted.
    public var isListening: Bool { self.state.value.isListening }

    /// Every request, in the order of arrival.
    public var record: [RecordedConnection] { self.state.value.record }

    /// The sound that was written to a connection's socket, or the bytes in its place, without
    /// titles.
    ///
    /// - Parameter connection: a connection of the ``record`` since it was last cleared.
    /// - Returns: ``RecordedConnection/audioBytesSent`` bytes.
    public func audio(of connection: RecordedConnection) -> [UInt8] {
        let feeds = self.state.value.feeds
        guard feeds.indices.contains(connection.number), let feed = feeds[connection.number] else {
            return []
        }
        var bytes: [UInt8] = []
        while bytes.count < connection.audioBytesSent {
            let rest = Int(clamping: connection.audioBytesSent - Int64(bytes.count))
            let piece = feed.audio(at: Int64(bytes.count), upTo: min(rest, 1 << 16))
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }

    /// Clears the record.
    public func clearRecord() {
        self.state.update { $0.clearRecord() }
    }

    /// Returns when the record fulfils a condition, at once if it already does.
    ///
    /// - Parameter isDue: called after every change.
    /// - Throws: `CancellationError` if the calling task is cancelled before.
    public func wait(until isDue: @escaping @Sendable ([RecordedConnection]) -> Bool) async throws {
        try await self.state.wait { isDue($0.record) }
    }
}

/// A request to a station, and the station's answer.
public struct RecordedConnection: Sendable, Hashable, Codable {
    /// The index of the request, from 0, since the record was last cleared.
    public internal(set) var number: Int
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
    /// The behaviour of the connection; `nil` if it did not ask for the stream.
    public let behaviour: RadioBehaviour?
    /// The position in the station's sound at which it joined.
    public let audioStart: Int64
    /// How many bytes of sound, or of other bytes in its place, have been written to the socket.
    public internal(set) var audioBytesSent: Int64 = 0
    /// How many bytes have been written to the socket, with head, titles and framing.
    public internal(set) var sentByteCount: Int64 = 0
    /// Whether the connection has ended.
    public internal(set) var hasEnded = false

    /// The first value of a field, whatever the case of its name.
    public func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
