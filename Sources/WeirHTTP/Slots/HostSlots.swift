// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides which requests may have a connection to a host, which wait for one, and which are asked to give one back: a
/// pure machine.
///
/// A host has a bounded number of slots, one for each connection. When they are taken, the newest request and the one
/// that has waited longest are granted in turn: a seek is fast, and no request is overtaken for ever. While one waits,
/// holders whose consumers take no bytes are asked to give their slots back: those that were abandoned at once, then those
/// that have rested longest. When that frees none, a holder that had its slot for long is asked in the middle of its
/// work, and waits for its next turn with the others. A holder that rests for long is asked though no request waits.
///
/// Only a holder that has announced it can give its slot back (``yields(_:)``): a body that cannot be continued at a byte
/// keeps its slot.
struct HostSlots {
    /// Names a slot, granted or waited for.
    struct ID: Hashable, Sendable {
        let rawValue: UInt64
    }

    /// The numbers.
    struct Limits: Hashable, Sendable {
        /// Places of one host.
        var slots = 16
        /// How many may wait for a slot of one host.
        var waiters = 1024
        /// For how long a holder must rest before it is asked for the sake of a newcomer.
        var shortRest = Duration.seconds(1)
        /// For how long a request must have waited before every holder that rests is asked, however short its rest.
        var patience = Duration.seconds(2)
        /// For how long a request must have waited, and a holder must have had its slot, before it is asked while it
        /// takes bytes.
        var turn = Duration.seconds(10)
        /// For how long a holder may rest when no request waits.
        var longRest = Duration.seconds(10)
    }

    /// What the shell must do, in this order.
    enum Effect: Hashable {
        /// The request has its slot.
        case grant(ID)
        /// Too many wait already: the request fails.
        case refuse(ID)
        /// Ask the holder for its slot; it tells ``released(_:at:)`` or ``declined(_:)``.
        case ask(ID, isInUse: Bool)
    }

    private struct Holder {
        let grantedAt: Duration
        /// Since when its consumer takes no bytes.
        var restingSince: Duration?
        /// Whether its bytes are not wanted any more.
        var isAbandoned = false
        /// Whether it can go on at its byte over another connection.
        var yields = false
        var isAsked = false
    }

    private struct Host {
        var holders: [ID: Holder] = [:]
        /// The one that has waited longest first.
        var waiters: [(id: ID, since: Duration)] = []
        var newestIsNext = true
    }

    let limits: Limits
    private var hosts: [String: Host] = [:]
    private var hostOf: [ID: String] = [:]
    private var lastID: UInt64 = 0

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    // MARK: Events

    /// A request wants a connection to a host.
    ///
    /// Abandoned connections of the host are given up at once: their bytes would take bandwidth from this one's.
    mutating func requested(_ host: String, at now: Duration) -> (ID, [Effect]) {
        self.lastID += 1
        let id = ID(rawValue: self.lastID)
        var state = self.hosts[host] ?? Host()
        guard state.waiters.count < self.limits.waiters else { return (id, [.refuse(id)]) }
        state.waiters.append((id, now))
        self.hosts[host] = state
        self.hostOf[id] = host
        var effects = self.askAbandoned(host)
        effects += self.reviewed(host, at: now)
        return (id, effects)
    }

    /// A request that may be waiting has gone, or a holder has given its slot back.
    mutating func released(_ id: ID, at now: Duration) -> [Effect] {
        guard let host = self.hostOf.removeValue(forKey: id) else { return [] }
        self.hosts[host]?.holders.removeValue(forKey: id)
        self.hosts[host]?.waiters.removeAll { $0.id == id }
        let effects = self.reviewed(host, at: now)
        if let state = self.hosts[host], state.holders.isEmpty, state.waiters.isEmpty {
            self.hosts[host] = nil
        }
        return effects
    }

    /// A holder can go on at its byte over another connection from now on.
    mutating func yields(_ id: ID) {
        self.change(id) { $0.yields = true }
    }

    /// A holder's consumer has a piece and asks for no more yet.
    mutating func rested(_ id: ID, at now: Duration) -> [Effect] {
        self.change(id) { $0.restingSince = $0.restingSince ?? now }
        guard let host = self.hostOf[id], self.hosts[host]?.waiters.isEmpty == false else {
            return []
        }
        return self.reviewed(host, at: now)
    }

    /// A holder's consumer asks for more.
    mutating func resumed(_ id: ID) {
        self.change(id) { $0.restingSince = nil }
    }

    /// A holder's bytes are not wanted any more; it keeps its connection a little, in case they are.
    mutating func abandoned(_ id: ID, at now: Duration) -> [Effect] {
        self.change(id) { $0.isAbandoned = true }
        guard let host = self.hostOf[id] else { return [] }
        return self.reviewed(host, at: now)
    }

    /// A holder's bytes are wanted after all.
    mutating func reclaimed(_ id: ID) {
        self.change(id) { holder in
            holder.isAbandoned = false
            holder.isAsked = false
        }
    }

    /// A holder cannot give its slot back now.
    mutating func declined(_ id: ID) {
        self.change(id) { $0.isAsked = false }
    }

    /// Time has passed: see ``deadline(after:)``.
    mutating func ticked(at now: Duration) -> [Effect] {
        self.hosts.keys.sorted().flatMap { self.reviewed($0, at: now) }
    }

    // MARK: Facts

    /// When something may have to be done though nothing has happened; `nil` for never.
    func deadline(after now: Duration) -> Duration? {
        var deadline: Duration?
        for host in self.hosts.values {
            for time in self.times(of: host) where time > now {
                deadline = min(deadline ?? time, time)
            }
        }
        return deadline
    }

    private func times(of host: Host) -> [Duration] {
        var times: [Duration] = []
        if let first = host.waiters.first {
            times += [first.since + self.limits.patience, first.since + self.limits.turn]
        }
        for holder in host.holders.values where holder.yields && !holder.isAsked {
            if let since = holder.restingSince {
                times.append(since + self.limits.longRest)
                if !host.waiters.isEmpty { times.append(since + self.limits.shortRest) }
            }
            if !host.waiters.isEmpty { times.append(holder.grantedAt + self.limits.turn) }
        }
        return times
    }

    /// How many wait, at all hosts together.
    var waitingCount: Int { self.hosts.values.reduce(0) { $0 + $1.waiters.count } }

    // MARK: Decisions

    private mutating func change(_ id: ID, _ change: (inout Holder) -> Void) {
        guard let host = self.hostOf[id], var holder = self.hosts[host]?.holders[id] else { return }
        change(&holder)
        self.hosts[host]?.holders[id] = holder
    }

    private mutating func askAbandoned(_ name: String) -> [Effect] {
        guard var host = self.hosts[name] else { return [] }
        let ids = host.holders.filter { $0.value.isAbandoned && !$0.value.isAsked }.map { $0.key }
        for id in ids { host.holders[id]?.isAsked = true }
        self.hosts[name] = host
        return Self.inOrder(ids).map { .ask($0, isInUse: false) }
    }

    private mutating func reviewed(_ name: String, at now: Duration) -> [Effect] {
        guard var host = self.hosts[name] else { return [] }
        var effects: [Effect] = []
        while host.holders.count < self.limits.slots, !host.waiters.isEmpty {
            let isChosen = host.waiters.count > 1
            let waiter = host.newestIsNext ? host.waiters.removeLast() : host.waiters.removeFirst()
            if isChosen { host.newestIsNext.toggle() }
            host.holders[waiter.id] = Holder(grantedAt: now)
            effects.append(.grant(waiter.id))
        }
        let isOverdue = host.waiters.first.map { now - $0.since >= self.limits.turn } ?? false
        for id in self.candidates(in: host, at: now) {
            host.holders[id]?.isAsked = true
            let holder = host.holders[id]
            // One that rests at its own pace, between pieces that it is limited to, declines otherwise for ever.
            let isTurnOver =
                isOverdue && holder.map { now - $0.grantedAt >= self.limits.turn } ?? false
            effects.append(.ask(id, isInUse: isTurnOver || holder?.restingSince == nil))
        }
        self.hosts[name] = host
        return effects
    }

    /// The holders that are to give a slot back: each that rests for too long, and as many as are waited for.
    private func candidates(in host: Host, at now: Duration) -> [ID] {
        let able = host.holders.filter { holder in
            !holder.value.isAsked && (holder.value.yields || holder.value.isAbandoned)
        }
        func rest(_ id: ID) -> Duration? { able[id]?.restingSince.map { now - $0 } }
        let ids = able.keys.sorted { $0.rawValue < $1.rawValue }
        var chosen = ids.filter {
            able[$0]?.yields == true && rest($0) ?? .zero >= self.limits.longRest
        }
        let asked = host.holders.values.count(where: { $0.isAsked }) + chosen.count
        let wanted = host.waiters.count - asked
        guard wanted > 0, let first = host.waiters.first else { return chosen }
        let waited = now - first.since
        let minimum = waited >= self.limits.patience ? Duration.zero : self.limits.shortRest
        let left = ids.filter { !chosen.contains($0) }
        var others = left.filter { able[$0]?.isAbandoned == true }
        others += left.filter { !others.contains($0) && rest($0).map { $0 >= minimum } ?? false }
            .sorted { rest($0) ?? .zero > rest($1) ?? .zero }
        if others.isEmpty, asked == 0, waited >= self.limits.turn {
            // One at a time: the requests that wait get their turns one after the other.
            let longest = left.min { able[$0]?.grantedAt ?? now < able[$1]?.grantedAt ?? now }
            others = longest.map { [$0] } ?? []
            others.removeAll { now - (able[$0]?.grantedAt ?? now) < self.limits.turn }
        }
        chosen += others.prefix(wanted)
        return Self.inOrder(chosen)
    }

    private static func inOrder(_ ids: [ID]) -> [ID] {
        ids.sorted { $0.rawValue < $1.rawValue }
    }
}
