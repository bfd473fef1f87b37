// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Decides which connections have a slot, and which one gives its slot up when another client asks.
///
/// A new connection gets a slot while slots are free, in all and for its address. Any other new
/// connection waits without a slot, in the reserve. A request that needs no source, such as
/// `/healthz`, is answered without a slot. A slot is freed for a request, not for a connection:
/// when a request needs a slot, the idlest connection gives its slot up.
///
/// - First come connections without a request, then those whose client has taken no byte for
///   ``Limits/stallTime`` or longer: a player that pauses. A client that waits for the proxy, or
///   that takes its bytes, never loses its slot.
/// - A new connection has ``Limits/firstRequestTime`` for its first request. Closing the connection
///   earlier would refuse a client that does not expect this (RFC 9112 §9.3.1 speaks of later
///   requests). Only a full reserve closes a connection earlier: its oldest one without a request,
///   or else its oldest one.
/// - Of several candidates, the connection of the address with the most slots is chosen; if there
///   are several of these, the one that has been idle longest.
/// - An address that has ``Limits/perAddress`` slots frees a slot among its own connections only.
///
/// The slots change when a connection arrives, asks without a slot, or ends. A request on a
/// connection that has a slot changes nothing here. So this type does not store the activities of
/// clients; it asks for them when a slot must be freed.
struct ConnectionSlots {
    /// The limits on connections.
    struct Limits: Hashable, Sendable {
        /// The most connections with a slot, in all.
        var total: Int
        /// The most connections with a slot, of one address.
        var perAddress: Int
        /// The most connections without a slot.
        var reserve: Int
        /// How long a client takes no byte before its slot may be given away.
        var stallTime: TimeAmount
        /// How long a new client may take to send its first request.
        var firstRequestTime: TimeAmount
    }

    /// The identifier of a connection; no later connection gets it.
    struct ConnectionID: Hashable, Sendable, Comparable {
        let rawValue: UInt64

        static func < (left: ConnectionID, right: ConnectionID) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// The result of a connection's arrival.
    struct Arrival: Hashable {
        let id: ConnectionID
        let hasSlot: Bool
        /// The connection that must be closed because the reserve was full.
        let displaced: ConnectionID?
    }

    /// Where a slot can be found.
    enum Vacancy: Hashable {
        /// A slot is free.
        case free
        /// This connection has a slot and no request.
        case idle(ConnectionID)
        /// This connection has a slot, and its client takes no bytes.
        case stalled(ConnectionID)
        /// Every client is being served.
        case nowhere
    }

    fileprivate enum Standing {
        case holding
        /// Without a slot; `isAsking` says whether it has a request that needs one.
        case reserved(isAsking: Bool)
    }

    fileprivate struct Entry {
        let address: ClientAddress
        var standing: Standing
    }

    private let limits: Limits
    private var entries: [ConnectionID: Entry] = [:]
    private var usedCount = 0
    private var slotsByAddress: [ClientAddress: Int] = [:]
    private var lastID: UInt64 = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// How many connections there are, with and without a slot.
    var count: Int { self.entries.count }

    /// Whether a connection has arrived, and has neither been displaced nor ended.
    func contains(_ id: ConnectionID) -> Bool { self.entries[id] != nil }

    /// Whether a connection has a slot.
    func hasSlot(_ id: ConnectionID) -> Bool {
        if case .holding = self.entries[id]?.standing { true } else { false }
    }

    /// Whether a client has all the slots that one client may have.
    func isFull(for address: ClientAddress) -> Bool {
        self.slotsByAddress[address, default: 0] >= self.limits.perAddress
    }

    /// A connection has been accepted.
    mutating func arrived(from address: ClientAddress) -> Arrival {
        self.lastID += 1
        let id = ConnectionID(rawValue: self.lastID)
        if self.hasFreeSlot(for: address) {
            self.entries[id] = Entry(address: address, standing: .holding)
            self.count(1, for: address)
            return Arrival(id: id, hasSlot: true, displaced: nil)
        }
        var displaced: ConnectionID?
        if self.entries.count - self.usedCount >= self.limits.reserve {
            displaced = self.leastUsefulInReserve
            if let displaced { self.entries[displaced] = nil }
        }
        self.entries[id] = Entry(address: address, standing: .reserved(isAsking: false))
        return Arrival(id: id, hasSlot: false, displaced: displaced)
    }

    /// A connection without a slot has a request that needs one.
    ///
    /// - Parameters:
    ///   - id: the connection.
    ///   - now: the time.
    ///   - activity: the activity of a connection's client; called for connections that have a
    ///     slot.
    /// - Returns: where a slot can be found; ``granted(_:displacing:)`` takes it.
    mutating func asked(
        _ id: ConnectionID,
        at now: NIODeadline,
        activity: (ConnectionID) -> ClientActivity
    ) -> Vacancy {
        guard let entry = self.entries[id] else { return .nowhere }
        if case .holding = entry.standing { return .free }
        self.entries[id]?.standing = .reserved(isAsking: true)
        if self.hasFreeSlot(for: entry.address) { return .free }
        let isOverShare = self.slotsByAddress[entry.address, default: 0] >= self.limits.perAddress
        return self.idlest(at: now, activity: activity) {
            !isOverShare || $0 == entry.address
        }
    }

    /// Gives a connection a free slot, or the slot of another connection, which is removed.
    mutating func granted(_ id: ConnectionID, displacing other: ConnectionID?) {
        if let other { self.remove(other) }
        guard let entry = self.entries[id], !self.hasSlot(id) else { return }
        self.entries[id]?.standing = .holding
        self.count(1, for: entry.address)
    }

    /// Removes the connection whose end does the least harm, because descriptors have run out.
    ///
    /// - Returns: the removed connection; `nil` if every client is being served.
    mutating func shed(
        at now: NIODeadline,
        activity: (ConnectionID) -> ClientActivity
    ) -> ConnectionID? {
        let unasked = self.entries.filter { id, entry in
            entry.isInReserveWithoutRequest && self.idleTime(of: activity(id), at: now) != nil
        }.keys.min()
        let shed: ConnectionID?
        switch self.idlest(at: now, activity: activity, { _ in true }) {
        case .idle(let id): shed = id
        // A client that pauses loses more than one that has not asked for anything.
        case .stalled(let id): shed = unasked ?? id
        case .free, .nowhere: shed = unasked
        }
        if let shed { self.remove(shed) }
        return shed
    }

    /// A connection has ended.
    ///
    /// - Returns: the connection that has got the slot, if one had waited for it.
    mutating func left(_ id: ConnectionID) -> ConnectionID? {
        guard self.remove(id) else { return nil }
        let next = self.entries.filter { _, entry in
            guard case .reserved(isAsking: true) = entry.standing else { return false }
            return self.hasFreeSlot(for: entry.address)
        }.keys.min()
        if let next { self.granted(next, displacing: nil) }
        return next
    }

    private func hasFreeSlot(for address: ClientAddress) -> Bool {
        self.usedCount < self.limits.total && !self.isFull(for: address)
    }

    /// In the reserve, the oldest connection without a request; or else the oldest one, which has
    /// waited longest.
    private var leastUsefulInReserve: ConnectionID? {
        var first: ConnectionID?
        var firstIdle: ConnectionID?
        for (id, entry) in self.entries {
            guard case .reserved(let isAsking) = entry.standing else { continue }
            first = min(first ?? id, id)
            if !isAsking { firstIdle = min(firstIdle ?? id, id) }
        }
        return firstIdle ?? first
    }

    private func idlest(
        at now: NIODeadline,
        activity: (ConnectionID) -> ClientActivity,
        _ isEligible: (ClientAddress) -> Bool
    ) -> Vacancy {
        var best: (rank: Rank, vacancy: Vacancy)?
        for (id, entry) in self.entries {
            guard case .holding = entry.standing, isEligible(entry.address) else { continue }
            let since: NIODeadline
            let vacancy: Vacancy
            let activity = activity(id)
            if let time = self.idleTime(of: activity, at: now) {
                since = time
                vacancy = .idle(id)
            } else if case .stalled(let time) = activity, now - time >= self.limits.stallTime {
                since = time
                vacancy = .stalled(id)
            } else {
                continue
            }
            let rank = Rank(
                isStalled: vacancy == .stalled(id),
                slots: self.slotsByAddress[entry.address, default: 0],
                since: since,
                id: id
            )
            if best.map({ rank < $0.rank }) ?? true { best = (rank, vacancy) }
        }
        return best?.vacancy ?? .nowhere
    }

    /// Since when a connection has had no request; `nil` if it may not be closed for that.
    private func idleTime(of activity: ClientActivity, at now: NIODeadline) -> NIODeadline? {
        switch activity {
        case .idle(let since): since
        case .new(let since): now - since >= self.limits.firstRequestTime ? since : nil
        case .served, .stalled: nil
        }
    }

    @discardableResult
    private mutating func remove(_ id: ConnectionID) -> Bool {
        guard let entry = self.entries.removeValue(forKey: id) else { return false }
        if case .holding = entry.standing { self.count(-1, for: entry.address) }
        return true
    }

    private mutating func count(_ change: Int, for address: ClientAddress) {
        self.usedCount += change
        let count = self.slotsByAddress[address, default: 0] + change
        self.slotsByAddress[address] = count > 0 ? count : nil
    }

    /// The order in which connections give their slots up: the smallest first.
    private struct Rank: Comparable {
        let isStalled: Bool
        let slots: Int
        let since: NIODeadline
        let id: ConnectionID

        static func < (left: Rank, right: Rank) -> Bool {
            if left.isStalled != right.isStalled { return right.isStalled }
            if left.slots != right.slots { return left.slots > right.slots }
            if left.since != right.since { return left.since < right.since }
            return left.id < right.id
        }
    }
}

extension ConnectionSlots.Entry {
    fileprivate var isInReserveWithoutRequest: Bool {
        if case .reserved(isAsking: false) = self.standing { true } else { false }
    }
}

/// The activity of a connection's client, as far as it matters to a connection that needs its slot.
enum ClientActivity: Hashable, Sendable {
    /// The client connected then and has not asked for anything yet; its first request may be under
    /// way.
    case new(since: NIODeadline)
    /// The client's last request was answered then; it has asked for nothing since.
    case idle(since: NIODeadline)
    /// The client waits for the proxy, or takes the bytes that it is sent.
    case served
    /// Bytes wait for the client, which has taken none of them since then.
    case stalled(since: NIODeadline)
}

/// The activity of one connection; its event loop writes it, and a search for a slot reads it.
///
/// A store needs no lock, and its order relative to other stores does not matter. A reader of an
/// outdated activity frees a slot a moment later, or closes a connection that is no longer idle.
/// Every HTTP client has to expect that (RFC 9112 §9.3.1).
final class ActivityRecord: Sendable {
    /// The kind in the lowest two bits, a time in nanoseconds in the others; they suffice for 146
    /// years.
    private let word: Atomic<UInt64>

    init(_ activity: ClientActivity) {
        self.word = Atomic(Self.encoded(activity))
    }

    var activity: ClientActivity {
        let word = self.word.load(ordering: .relaxed)
        let time = NIODeadline.uptimeNanoseconds(word >> 2)
        return switch word & 3 {
        case 1: .idle(since: time)
        case 2: .stalled(since: time)
        case 3: .new(since: time)
        default: .served
        }
    }

    func store(_ activity: ClientActivity) {
        self.word.store(Self.encoded(activity), ordering: .relaxed)
    }

    private static func encoded(_ activity: ClientActivity) -> UInt64 {
        switch activity {
        case .served: 0
        case .idle(let since): since.uptimeNanoseconds << 2 | 1
        case .stalled(let since): since.uptimeNanoseconds << 2 | 2
        case .new(let since): since.uptimeNanoseconds << 2 | 3
        }
    }
}
