// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The connections of a transport: the resting ones by endpoint, and all open ones.
final class IdleConnections: Sendable {
    private struct State {
        var resting: [Endpoint: [any ByteConnection]] = [:]
        var open: [ObjectIdentifier: any ByteConnection] = [:]
        var isShutDown = false
    }

    /// The largest number of resting connections; further ones are closed instead.
    static let limit = 256

    private let state = Mutex(State())
    /// The longest rest of a connection.
    private let time: Duration

    init(restingFor time: Duration) {
        self.time = time
    }

    /// Whether the transport was shut down.
    var isShutDown: Bool { self.state.withLock { $0.isShutDown } }

    /// Takes the usable connection that began to rest last; `nil` if there is none.
    func take(to endpoint: Endpoint) -> (any ByteConnection)? {
        while true {
            guard let connection = self.state.withLock({ $0.resting[endpoint]?.popLast() }) else {
                return nil
            }
            if connection.wake() { return connection }
            self.discard(connection, resetting: false)
        }
    }

    /// Records a new connection; after the shutdown closes it and returns `false`.
    func opened(_ connection: any ByteConnection) -> Bool {
        let isOpen = self.state.withLock { state in
            if !state.isShutDown { state.open[ObjectIdentifier(connection)] = connection }
            return !state.isShutDown
        }
        if !isOpen { connection.close(resetting: true) }
        return isOpen
    }

    /// Lets a connection rest after its response has ended.
    ///
    /// The number of resting connections is bounded, even if a playlist names many hosts.
    func rest(_ connection: any ByteConnection, to endpoint: Endpoint) {
        // The rest begins before the connection is listed, so that an exchange takes only resting
        // connections.
        connection.rest(for: self.time) { [weak self, weak connection] in
            guard let self, let connection else { return }
            self.state.withLock { state in
                state.open[ObjectIdentifier(connection)] = nil
                state.resting[endpoint]?.removeAll { $0 === connection }
                if state.resting[endpoint]?.isEmpty == true { state.resting[endpoint] = nil }
            }
            connection.close(resetting: false)
        }
        let isListed = self.state.withLock { state in
            // A connection that has expired, or that a shutdown has closed, is no longer open.
            guard state.open[ObjectIdentifier(connection)] != nil,
                state.resting.values.reduce(0, { $0 + $1.count }) < Self.limit
            else { return false }
            state.resting[endpoint, default: []].append(connection)
            return true
        }
        if !isListed { self.discard(connection, resetting: false) }
    }

    /// Closes a connection.
    func discard(_ connection: any ByteConnection, resetting: Bool) {
        self.state.withLock { _ = $0.open.removeValue(forKey: ObjectIdentifier(connection)) }
        connection.close(resetting: resetting)
    }

    /// Closes all connections, including those in use.
    func shutDown() -> [any ByteConnection] {
        let open = self.state.withLock { state in
            defer { (state.open, state.resting, state.isShutDown) = ([:], [:], true) }
            return Array(state.open.values)
        }
        for connection in open { connection.close(resetting: true) }
        return open
    }
}
