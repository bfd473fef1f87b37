// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Counts the connections of a proxy and what works for them, and knows when all have gone.
final class ConnectionRegistry: Sendable {
    /// What a connection that was accepted is used for.
    enum Place: Hashable, Sendable {
        /// Its requests are served.
        case served
        /// Its first request is told that there are too many.
        case refused
        /// It is closed at once.
        case none
    }

    private struct State {
        var connections: [ObjectIdentifier: NIOLoopBound<ConnectionHandler>] = [:]
        var served = 0
        var refused = 0
        var tasks = 0
        var arrivals: UInt64 = 0
        var isStopped = false
        var waiters: [CheckedContinuation<Bool, Never>] = []

        var isEmpty: Bool { self.served == 0 && self.refused == 0 && self.tasks == 0 }
    }

    /// How many connections are told why they are refused, at a time.
    private static let maximumRefused = 32

    private let maximum: Int
    private let state = Mutex(State())

    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    /// Finds a place for a new connection; it counts until ``left(_:_:)``.
    func enter() -> Place {
        self.state.withLock { state in
            if state.isStopped { return .none }
            state.arrivals += 1
            if state.served < self.maximum {
                state.served += 1
                return .served
            }
            guard state.refused < Self.maximumRefused else { return .none }
            state.refused += 1
            return .refused
        }
    }

    /// How many connections have come, whatever became of them.
    var arrivalCount: UInt64 { self.state.withLock { $0.arrivals } }

    /// A connection that has a place is set up.
    func joined(_ connection: ConnectionHandler, on eventLoop: any EventLoop) -> Bool {
        let bound = NIOLoopBound(connection, eventLoop: eventLoop)
        return self.state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = bound
            return !state.isStopped
        }
    }

    /// A connection has ended.
    func left(_ connection: ConnectionHandler, _ place: Place) {
        self.change { state in
            state.connections[ObjectIdentifier(connection)] = nil
            switch place {
            case .served: state.served -= 1
            case .refused: state.refused -= 1
            case .none: break
            }
        }
    }

    /// A task has begun that works for a connection.
    func taskBegan() {
        self.state.withLock { $0.tasks += 1 }
    }

    /// A task has ended.
    func taskEnded() {
        self.change { $0.tasks -= 1 }
    }

    /// Takes no more connections.
    ///
    /// - Returns: those there are.
    func stop() -> [NIOLoopBound<ConnectionHandler>] {
        self.state.withLock { state in
            state.isStopped = true
            return Array(state.connections.values)
        }
    }

    /// Waits until all connections and tasks have gone.
    ///
    /// - Returns: false if ``giveUp()`` came first.
    func emptied() async -> Bool {
        await withCheckedContinuation { continuation in
            let isEmpty = self.state.withLock { state in
                if !state.isEmpty { state.waiters.append(continuation) }
                return state.isEmpty
            }
            if isEmpty { continuation.resume(returning: true) }
        }
    }

    /// Lets those go who wait for the end.
    func giveUp() {
        let waiters = self.state.withLock { state in
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: false) }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiters = self.state.withLock { state -> [CheckedContinuation<Bool, Never>] in
            body(&state)
            guard state.isEmpty else { return [] }
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume(returning: true) }
    }
}
