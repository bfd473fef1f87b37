// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Everything that a page shows, as in the first line of its stream; `weir stats` prints it.
///
/// Names and sentences come from origins: they are text, and may be hostile.
package struct ConsoleState: Codable, Sendable {
    package var type = "state"
    package var sequence: Int
    package var server: Server
    package var cache: Cache
    /// The served places, without the stations.
    package var places: [Place]
    package var resources: [Resource]
    package var stations: [Station]
    package var readers: [Reader]
    package var fetches: [Fetch]
    /// Bytes from origins and to players in each second, the oldest first.
    package var traffic: [[Int64]]
    package var events: [ConsoleEvent]
    package var counts: Counts

    /// The program.
    package struct Server: Codable, Hashable, Sendable {
        package var version: String
        package var started: Date
    }

    /// The cache as a whole.
    package struct Cache: Codable, Hashable, Sendable {
        package var bytes: Int64 = 0
        package var resources = 0
        @Nullable package var free: Int64?
        package var limits = Limits()
        /// Why the cache can keep nothing; one sentence.
        @Nullable package var trouble: String?

        /// The limits of the cache; `nil`: no limit.
        package struct Limits: Codable, Hashable, Sendable {
            @Nullable package var bytes: Int64?
            @Nullable package var resources: Int?
            /// Seconds since the last use.
            @Nullable package var age: Int64?
            @Nullable package var reserve: Int64?
        }
    }

    /// A cached resource.
    package struct Resource: Codable, Hashable, Sendable {
        package var id: String
        @Nullable package var name: String?
        package var source: String
        package var account: String
        @Nullable package var length: Int64?
        package var held: Int64
        @Nullable package var type: String?
        package var generation: String
        package var pinned: Bool
        package var used: Date
        package var created: Date
        /// Whether the resource is being read, or can be read at once.
        package var open: Bool
        /// `nil`: not looked up yet.
        @Nullable package var pieces: Pieces?
    }

    /// A served file or folder; the URL of a folder ends with a slash.
    package struct Place: Codable, Hashable, Sendable {
        package var name: String
        package var source: String
        package var url: String

        /// Describes a place; `url` is the URL for players, with the secret, relative to the
        /// server.
        package init(name: String, source: String, url: String) {
            self.name = name
            self.source = source
            self.url = url
        }
    }

    /// Byte ranges, half-open, in order.
    package struct Pieces: Codable, Hashable, Sendable {
        package var held: [[Int64]]
        package var verified: [[Int64]]
        package var bad: [[Int64]]
    }

    /// A radio station.
    package struct Station: Codable, Hashable, Sendable {
        package var name: String
        package var state: String
        @Nullable package var reason: String?
        @Nullable package var title: String?
        @Nullable package var type: String?
        /// Seconds of sound.
        package var buffered: Int64
        package var timeShift: Int64
        package var listeners: Int
        package var reconnects: Int
        package var url: String
    }

    /// A response that is being sent to a player.
    package struct Reader: Codable, Hashable, Sendable {
        @Nullable package var resource: String?
        @Nullable package var station: String?
        package var from: Int64
        package var at: Int64
        @Nullable package var to: Int64?
    }

    /// A request to an origin that is under way.
    package struct Fetch: Codable, Hashable, Sendable {
        package var resource: String
        @Nullable package var at: Int64?
        @Nullable package var to: Int64?
        package var state: String
        package var reason: String
    }

    /// Totals since the program began.
    package struct Counts: Codable, Hashable, Sendable {
        package var requests: Int64 = 0
        package var failures: Int64 = 0
        package var refused: Int64 = 0
        package var served: Int64 = 0
        package var origin: Int64 = 0
        package var originRequests: Int64 = 0
        package var retries: Int64 = 0
        package var evictions: Int64 = 0
        package var reconnects: Int64 = 0
        package var underruns: Int64 = 0
    }
}

/// The changes since the line before; unchanged members are left out.
package struct ConsoleChange: Codable, Sendable {
    var type = "change"
    var sequence: Int
    var cache: ConsoleState.Cache?
    var places: [ConsoleState.Place]?
    var resources: [ConsoleState.Resource]?
    var removed: [String]?
    var stations: [ConsoleState.Station]?
    var readers: [ConsoleState.Reader]?
    var fetches: [ConsoleState.Fetch]?
    var traffic: [[Int64]]?
    var events: [ConsoleEvent]?
    var counts: ConsoleState.Counts?

    /// Whether nothing has changed.
    var isEmpty: Bool {
        self.cache == nil && self.places == nil && self.resources == nil && self.removed == nil
            && self.stations == nil
            && self.readers == nil && self.fetches == nil && self.traffic == nil
            && self.events == nil && self.counts == nil
    }
}

extension ConsoleState {
    /// The state as a line of JSON, without a line end, with the name of an event as a member.
    package func jsonLine(as event: String) -> String {
        struct Line: Encodable {
            let event: String
            let state: ConsoleState

            enum CodingKeys: CodingKey { case event }

            func encode(to encoder: any Encoder) throws {
                try self.state.encode(to: encoder)
                var container = encoder.container(keyedBy: CodingKeys.self)
                try container.encode(self.event, forKey: .event)
            }
        }
        return String(decoding: ConsoleFeed.json(Line(event: event, state: self)), as: UTF8.self)
    }

    /// Applies a change.
    ///
    /// - Returns: false if a change before it is missing.
    package mutating func apply(_ change: ConsoleChange) -> Bool {
        guard change.sequence == self.sequence &+ 1 else { return false }
        self.sequence = change.sequence
        self.cache = change.cache ?? self.cache
        self.places = change.places ?? self.places
        self.stations = change.stations ?? self.stations
        self.readers = change.readers ?? self.readers
        self.fetches = change.fetches ?? self.fetches
        self.counts = change.counts ?? self.counts
        self.traffic = (self.traffic + (change.traffic ?? [])).suffix(TrafficHistory.capacity)
        self.events = (self.events + (change.events ?? [])).suffix(ConsoleEvents.capacity)
        let changed = change.resources ?? []
        let gone = Set(changed.map(\.id) + (change.removed ?? []))
        if !gone.isEmpty {
            self.resources.removeAll { gone.contains($0.id) }
            self.resources.append(contentsOf: changed)
            self.resources.sort { $0.used > $1.used }
        }
        return true
    }
}

/// A member that is encoded as `null` when it has no value, so that all objects have the same
/// members.
@propertyWrapper
package struct Nullable<Value: Codable & Hashable & Sendable>: Codable, Hashable, Sendable {
    package var wrappedValue: Value?

    package init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.wrappedValue = container.decodeNil() ? nil : try container.decode(Value.self)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.wrappedValue)
    }
}
