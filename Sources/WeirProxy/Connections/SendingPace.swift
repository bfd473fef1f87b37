// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirSource

/// Holds what clients are sent to a rate: each client, over all of its connections, and all together.
final class SendingPace: Sendable {
    private struct State {
        var clients: [ClientAddress: ClientPace] = [:]
        /// How many may be there before those that are over are looked for.
        var room = 1024
    }

    private let limits: SendingLimits
    private let all: RateLimiter?
    private let clock: any Clock<Duration>
    private let state = Mutex(State())

    /// `nil` without a limit.
    init?(_ limits: SendingLimits, clock: any Clock<Duration> = ContinuousClock()) {
        guard limits.client != nil || limits.all != nil else { return nil }
        self.limits = limits
        self.clock = clock
        self.all = limits.all.map { RateLimiter(bytesPerSecond: $0, clock: clock) }
    }

    /// How many clients are known.
    var clientCount: Int { self.state.withLock { $0.clients.count } }

    /// What holds a connection of a client, which has come; its other connections have the same.
    ///
    /// A client that closes its connections and comes again still owes what it was sent.
    func pace(of client: ClientAddress) -> ClientPace {
        self.state.withLock { state in
            if let known = state.clients[client] {
                known.joined()
                return known
            }
            if state.clients.count >= state.room {
                state.clients = state.clients.filter { entry in
                    entry.value.wait > .zero || entry.value.isUsed
                }
                state.room = max(1024, 2 * state.clients.count)
            }
            let pace = ClientPace(
                own: self.limits.client.map { RateLimiter(bytesPerSecond: $0, clock: self.clock) },
                all: self.all
            )
            pace.joined()
            state.clients[client] = pace
            return pace
        }
    }
}

/// How fast clients are sent to, in bytes a second; `nil` for no limit.
package struct SendingLimits: Hashable, Sendable {
    /// One client.
    package var client: Int64?
    /// All together.
    package var all: Int64?

    package init(client: Int64? = nil, all: Int64? = nil) {
        self.client = client
        self.all = all
    }
}

/// Holds the connections of one client to its rate, and with others to the rate of all.
final class ClientPace: Sendable {
    private let own: RateLimiter?
    private let all: RateLimiter?
    private let connections = Atomic(0)

    init(own: RateLimiter?, all: RateLimiter?) {
        self.own = own
        self.all = all
    }

    /// How much a connection sends before it waits: what the rate gives in a quarter of a second, and no less than 64 KiB.
    var turn: Int64 {
        let rate = min(self.own?.bytesPerSecond ?? .max, self.all?.bytesPerSecond ?? .max)
        return max(64 << 10, rate / 4)
    }

    fileprivate func joined() { self.connections.add(1, ordering: .relaxed) }

    /// A connection of the client has ended.
    func left() { self.connections.subtract(1, ordering: .relaxed) }

    fileprivate var isUsed: Bool { self.connections.load(ordering: .relaxed) > 0 }

    /// Bytes have been sent.
    func sent(_ bytes: Int64) {
        _ = self.own?.reserve(Int(bytes))
        _ = self.all?.reserve(Int(bytes))
    }

    /// How long to send nothing, and whose limit says so.
    var hold: (time: Duration, limit: ProxyLimit)? {
        let own = self.own?.reserve(0) ?? .zero
        let all = self.all?.reserve(0) ?? .zero
        guard max(own, all) > .zero else { return nil }
        return own >= all ? (own, .clientRate) : (all, .rate)
    }

    fileprivate var wait: Duration { self.own?.reserve(0) ?? .zero }
}
