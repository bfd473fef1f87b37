// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestKit

/// What tests read and write while a station runs.
extension RadioServer {
    /// The station's address without a path, as many stations have it: `http://127.0.0.1:8000`.
    public var url: String { "http://127.0.0.1:\(self.state.value.port)" }

    /// The stream.
    public var streamURL: String { "\(self.url)/stream" }

    /// A playlist in PLS, with absolute entries.
    public var plsURL: String { "\(self.url)/listen.pls" }

    /// A playlist in M3U, with relative entries.
    public var m3uURL: String { "\(self.url)/listen.m3u" }

    /// Where other programs look at the record and set the behaviours; `nil` if they cannot.
    public var controlURL: String? { self.state.value.controlURL }

    /// How the next connections behave, one after the other; the last goes for all that follow.
    ///
    /// To set them begins the list again.
    public var behaviours: [RadioBehaviour] {
        get { self.state.value.machine.behaviours }
        set { self.state.update { $0.machine.behaviours = newValue } }
    }

    /// Whether connections are taken.
    public var isListening: Bool { self.state.value.isListening }

    /// Every request, in the order in which they came.
    public var record: [RecordedConnection] { self.state.value.record }

    /// The sound that went into the socket of a connection, or what was sent instead, without titles.
    ///
    /// - Parameter connection: one of the ``record``, since it was cleared last.
    /// - Returns: as many bytes as ``RecordedConnection/audioBytesSent`` says.
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

    /// Forgets what came.
    public func clearRecord() {
        self.state.update { $0.clearRecord() }
    }

    /// Returns when the record fulfils a condition, at once if it does already.
    ///
    /// - Parameter isDue: is asked after every change.
    /// - Throws: `CancellationError` when the calling task is cancelled before.
    public func wait(until isDue: @escaping @Sendable ([RecordedConnection]) -> Bool) async throws {
        try await self.state.wait { isDue($0.record) }
    }
}

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
    /// How many bytes of sound, or of what was sent instead, have gone into the socket.
    public internal(set) var audioBytesSent: Int64 = 0
    /// How many bytes have gone into the socket, with head, titles and framing.
    public internal(set) var sentByteCount: Int64 = 0
    /// Whether the connection has ended.
    public internal(set) var hasEnded = false

    /// The value of a field, whatever the case of its name; of a doubled one the first.
    public func header(_ name: String) -> String? {
        self.headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
}
