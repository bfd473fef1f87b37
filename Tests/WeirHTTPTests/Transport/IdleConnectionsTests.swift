// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirSource

@testable import WeirHTTP

@Suite("Idle connections")
struct IdleConnectionsTests {
    /// A connection that records whether it was closed.
    private final class SilentConnection: ByteConnection {
        private let isClosed = Mutex(false)
        /// Receives the expiry callback when the connection begins to rest.
        private let whenResting: @Sendable (@Sendable () -> Void) -> Void

        init(whenResting: @escaping @Sendable (@Sendable () -> Void) -> Void = { _ in }) {
            self.whenResting = whenResting
        }

        var wasClosed: Bool { self.isClosed.withLock { $0 } }

        func send(_ bytes: [UInt8], sent: (@Sendable () -> Void)?) {}
        func receive(readsAhead: Bool) async throws -> ByteMemory? { nil }
        func rest(for time: Duration, expired: @escaping @Sendable () -> Void) {
            self.whenResting(expired)
        }
        func wake() -> Bool { !self.wasClosed }
        func close(resetting: Bool) { self.isClosed.withLock { $0 = true } }
        func closed() async {}
    }

    @Test("are as many as the limit, over all hosts, and one more is closed")
    func limit() {
        let idle = IdleConnections(restingFor: .seconds(60))
        let connections = (0..<IdleConnections.limit + 3).map { _ in SilentConnection() }
        for (number, connection) in connections.enumerated() {
            #expect(idle.opened(connection))
            let host = Endpoint(host: "h\(number / 2).example", port: 80, isSecure: false)
            idle.rest(connection, to: host)
        }
        #expect(connections.prefix(IdleConnections.limit).allSatisfy { !$0.wasClosed })
        #expect(connections.dropFirst(IdleConnections.limit).allSatisfy { $0.wasClosed })
        #expect(idle.shutDown().count == IdleConnections.limit)
        #expect(connections.allSatisfy { $0.wasClosed })
    }

    private let host = Endpoint(host: "example.org", port: 80, isSecure: false)

    @Test("cannot be taken before they are idle")
    func order() {
        let idle = IdleConnections(restingFor: .seconds(60))
        let taken = Mutex<[Bool]>([])
        let connection = SilentConnection { _ in
            let isTaken = idle.take(to: self.host) != nil
            taken.withLock { $0.append(isTaken) }
        }
        #expect(idle.opened(connection))
        idle.rest(connection, to: self.host)
        #expect(taken.withLock { $0 } == [false])
        #expect(idle.take(to: self.host) === connection)
    }

    @Test("that expire at once are closed, and cannot be taken")
    func expired() {
        let idle = IdleConnections(restingFor: .seconds(60))
        let connection = SilentConnection { expired in expired() }
        #expect(idle.opened(connection))
        idle.rest(connection, to: self.host)
        #expect(connection.wasClosed)
        #expect(idle.take(to: self.host) == nil)
        #expect(idle.shutDown().isEmpty)
    }
}
