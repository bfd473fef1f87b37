// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Decides which connections have a place, and which one gives its place up when another client asks.
///
/// A connection gets a place when it comes, while there are free ones in all and for its address. Every other one is
/// accepted, too, and waits without a place, in the reserve: what needs no source, such as `/healthz`, is answered
/// there. A place is made for a request, not for a connection: when a request comes that needs one, the idlest
/// connection gives its place up.
///
/// - First those without a request, then those whose client has taken no byte for ``Limits/stallTime`` or longer: a
///   player that pauses. A client that waits for the proxy, or that takes its bytes, is never closed.
/// - A connection that has just come has ``Limits/firstRequestTime``: closing it before would refuse a client that has
///   done nothing wrong, and that does not expect it (RFC 9112 §9.3.1 speaks of later requests). Only where the reserve
///   is full does it go before: then the oldest without a request does.
/// - Of several that could go, one of the address that has most places; of these the one that has been idle longest.
/// - An address that has all the places that one address may have makes room among its own connections only.
///
/// The table is looked at when a connection comes, asks without a place, or goes; a request on a connection that has a
/// place does not reach it. So what clients do is not written into it but asked for when a place must be made.
struct PlaceTable {
    /// How many connections there may be.
    struct Limits: Hashable, Sendable {
        /// With a place, in all.
        var total: Int
        /// With a place, of one address.
        var perAddress: Int
        /// Without a place.
        var reserve: Int
        /// How long a client takes no byte before its place may be given away.
        var stallTime: TimeAmount
        /// How long a client that has just come may take to send its first request.
        var firstRequestTime: TimeAmount
    }

    /// The name of a connection in the table; never used again.
    struct ConnectionID: Hashable, Sendable, Comparable {
        let rawValue: UInt64

        static func < (left: ConnectionID, right: ConnectionID) -> Bool {
            left.rawValue < right.rawValue
        }
    }

    /// What becomes of a connection that has come.
    struct Arrival: Hashable {
        let id: ConnectionID
        let hasPlace: Bool
        /// The connection that has to be closed for it: the reserve was full.
        let displaced: ConnectionID?
    }

    /// Where a place can be had.
    enum Vacancy: Hashable {
        /// There is a free one.
        case free
        /// This connection's, which has no request.
        case idle(ConnectionID)
        /// This connection's, whose client takes no bytes.
        case stalled(ConnectionID)
        /// Nowhere: every client is being served.
        case nowhere
    }

    fileprivate enum Standing {
        case placed
        /// Without a place. `isAsking`: it has a request that needs one.
        case reserved(isAsking: Bool)
    }

    fileprivate struct Entry {
        let address: ClientAddress
        var standing: Standing
    }

    private let limits: Limits
    private var entries: [ConnectionID: Entry] = [:]
    private var placedCount = 0
    private var placedByAddress: [ClientAddress: Int] = [:]
    private var lastID: UInt64 = 0

    init(_ limits: Limits) {
        self.limits = limits
    }

    /// How many connections are in the table.
    var count: Int { self.entries.count }

    /// Whether a connection is in the table: it has come, and was neither displaced nor has it gone.
    func contains(_ id: ConnectionID) -> Bool { self.entries[id] != nil }

    /// Whether a connection has a place.
    func hasPlace(_ id: ConnectionID) -> Bool {
        if case .placed = self.entries[id]?.standing { true } else { false }
    }

    /// Whether a client has all the places that one may have.
    func isFull(for address: ClientAddress) -> Bool {
        self.placedByAddress[address, default: 0] >= self.limits.perAddress
    }

    /// A connection has been accepted.
    mutating func arrived(from address: ClientAddress) -> Arrival {
        self.lastID += 1
        let id = ConnectionID(rawValue: self.lastID)
        if self.hasFreePlace(for: address) {
            self.entries[id] = Entry(address: address, standing: .placed)
            self.count(1, for: address)
            return Arrival(id: id, hasPlace: true, displaced: nil)
        }
        var displaced: ConnectionID?
        if self.entries.count - self.placedCount >= self.limits.reserve {
            displaced = self.leastUsefulInReserve
            if let displaced { self.entries[displaced] = nil }
        }
        self.entries[id] = Entry(address: address, standing: .reserved(isAsking: false))
        return Arrival(id: id, hasPlace: false, displaced: displaced)
    }

    /// A connection without a place has a request that needs one.
    ///
    /// - Parameters:
    ///   - id: the connection.
    ///   - now: the time.
    ///   - activity: what a connection's client does; asked of connections that have a place.
    /// - Returns: where a place can be had; nothing has been given away yet, see ``granted(_:displacing:)``.
    mutating func asked(
        _ id: ConnectionID,
        at now: NIODeadline,
        activity: (ConnectionID) -> ClientActivity
    ) -> Vacancy {
        guard let entry = self.entries[id] else { return .nowhere }
        if case .placed = entry.standing { return .free }
        self.entries[id]?.standing = .reserved(isAsking: true)
        if self.hasFreePlace(for: entry.address) { return .free }
        let isOverShare = self.placedByAddress[entry.address, default: 0] >= self.limits.perAddress
        return self.idlest(at: now, activity: activity) {
            !isOverShare || $0 == entry.address
        }
    }

    /// A connection gets a place: a free one, or that of another connection, which is no longer in the table.
    mutating func granted(_ id: ConnectionID, displacing other: ConnectionID?) {
        if let other { self.remove(other) }
        guard let entry = self.entries[id], !self.hasPlace(id) else { return }
        self.entries[id]?.standing = .placed
        self.count(1, for: entry.address)
    }

    /// Where one connection fewer does least harm: descriptors have run out.
    ///
    /// - Returns: the connection, which is no longer in the table; `nil` if every client is being served.
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
    /// - Returns: the connection that has got the place, if one had asked for it.
    mutating func left(_ id: ConnectionID) -> ConnectionID? {
        guard self.remove(id) else { return nil }
        let next = self.entries.filter { _, entry in
            guard case .reserved(isAsking: true) = entry.standing else { return false }
            return self.hasFreePlace(for: entry.address)
        }.keys.min()
        if let next { self.granted(next, displacing: nil) }
        return next
    }

    private func hasFreePlace(for address: ClientAddress) -> Bool {
        self.placedCount < self.limits.total && !self.isFull(for: address)
    }

    /// Of those without a place the first that has no request; else the first of all, which has waited longest in vain.
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
        var best: (rank: Rank, room: Vacancy)?
        for (id, entry) in self.entries {
            guard case .placed = entry.standing, isEligible(entry.address) else { continue }
            let since: NIODeadline
            let room: Vacancy
            let activity = activity(id)
            if let time = self.idleTime(of: activity, at: now) {
                since = time
                room = .idle(id)
            } else if case .stalled(let time) = activity, now - time >= self.limits.stallTime {
                since = time
                room = .stalled(id)
            } else {
                continue
            }
            let rank = Rank(
                isStalled: room == .stalled(id),
                places: self.placedByAddress[entry.address, default: 0],
                since: since,
                id: id
            )
            if best.map({ rank < $0.rank }) ?? true { best = (rank, room) }
        }
        return best?.room ?? .nowhere
    }

    /// Since when a connection has been without a request, if it may be closed for that.
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
        if case .placed = entry.standing { self.count(-1, for: entry.address) }
        return true
    }

    private mutating func count(_ change: Int, for address: ClientAddress) {
        self.placedCount += change
        let count = self.placedByAddress[address, default: 0] + change
        self.placedByAddress[address] = count > 0 ? count : nil
    }

    /// Which of two connections goes first: the smaller one.
    private struct Rank: Comparable {
        let isStalled: Bool
        let places: Int
        let since: NIODeadline
        let id: ConnectionID

        static func < (left: Rank, right: Rank) -> Bool {
            if left.isStalled != right.isStalled { return right.isStalled }
            if left.places != right.places { return left.places > right.places }
            if left.since != right.since { return left.since < right.since }
            return left.id < right.id
        }
    }
}

extension PlaceTable.Entry {
    fileprivate var isInReserveWithoutRequest: Bool {
        if case .reserved(isAsking: false) = self.standing { true } else { false }
    }
}

/// What the client of a connection does, as far as it matters to a connection that needs its place.
enum ClientActivity: Hashable, Sendable {
    /// It came then and has not asked for anything yet: its first request may be on its way.
    case new(since: NIODeadline)
    /// Its last request was answered then, and it has asked for nothing since.
    case idle(since: NIODeadline)
    /// It waits for the proxy or takes what it is sent.
    case served
    /// It has been sent bytes and has taken none of them since then.
    case stalled(since: NIODeadline)
}

/// The activity of one connection: written on its event loop, read where a place is looked for.
///
/// A store costs no lock, and its order with others does not matter: a reader of an older activity makes room a moment
/// later, or closes a connection that is idle no more, which every client of HTTP has to expect (RFC 9112 §9.3.1).
final class ActivityRecord: Sendable {
    /// The kind in the lowest two bits, a time in the others: nanoseconds, which leaves room for 146 years.
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
