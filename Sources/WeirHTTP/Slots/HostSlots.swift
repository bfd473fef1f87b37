// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides which requests may have a connection to a host, which wait for one, and which are asked to give one back: a
/// pure machine.
///
/// A host has a bounded number of slots, one for each connection. When they are taken, a free one goes to the client that
/// has the fewest, and among equals to the one whose last grant is longest ago. Of one client's requests, the newest and
/// the one that has waited longest are granted in turn: a seek is fast, and no request is overtaken for ever. A client that
/// has two slots more than one that waits gives one back in the middle of its work, once it had it for a second. While one
/// waits,
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
        let client: ClientID
        let grantedAt: Duration
        /// Since when its consumer takes no bytes.
        var restingSince: Duration?
        /// Whether its bytes are not wanted any more.
        var isAbandoned = false
        /// Whether it can go on at its byte over another connection.
        var yields = false
        var isAsked = false
    }

    private struct Waiter {
        let id: ID
        let client: ClientID
        let since: Duration
    }

    /// What a client has of a host.
    private struct Share {
        /// Decides between clients that have had nothing yet.
        let number: UInt64
        var waiting = 0
        var held = 0
        /// The number of its last grant; 0 for none.
        var lastGrant: UInt64 = 0
        var newestIsNext = true

        var isIdle: Bool { self.waiting == 0 && self.held == 0 }
    }

    private struct Host {
        var holders: [ID: Holder] = [:]
        /// The one that has waited longest first.
        var waiters: [Waiter] = []
        var shares: [ClientID: Share] = [:]
        var grantCount: UInt64 = 0

        /// How many slots the waiting client has that has fewest; `nil` if none waits.
        var leastHeld: Int? {
            if self.waiters.isEmpty { return nil }
            return self.shares.values.lazy.filter { $0.waiting > 0 }.map(\.held).min()
        }

        func held(by client: ClientID) -> Int { self.shares[client]?.held ?? 0 }
    }

    /// How many clients of a host are kept in mind that neither hold a slot nor wait for one.
    private static let mostIdle = 64

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
    ///
    /// When too many wait, the newest request of the client with most of them fails.
    mutating func requested(
        _ host: String,
        by client: ClientID,
        at now: Duration
    ) -> (ID, [Effect]) {
        self.lastID += 1
        let id = ID(rawValue: self.lastID)
        var state = self.hosts[host] ?? Host()
        var effects: [Effect] = []
        state.waiters.append(Waiter(id: id, client: client, since: now))
        state.shares[client, default: Share(number: id.rawValue)].waiting += 1
        if state.waiters.count > self.limits.waiters {
            let refused = state.waiters.remove(at: Self.surplusWaiter(in: state))
            state.shares[refused.client]?.waiting -= 1
            self.hostOf[refused.id] = nil
            effects.append(.refuse(refused.id))
        }
        self.hosts[host] = state
        guard effects != [.refuse(id)] else { return (id, effects) }
        self.hostOf[id] = host
        effects += self.askAbandoned(host)
        effects += self.reviewed(host, at: now)
        return (id, effects)
    }

    /// A request that may be waiting has gone, or a holder has given its slot back.
    mutating func released(_ id: ID, at now: Duration) -> [Effect] {
        guard let host = self.hostOf.removeValue(forKey: id) else { return [] }
        if let holder = self.hosts[host]?.holders.removeValue(forKey: id) {
            self.hosts[host]?.shares[holder.client]?.held -= 1
        } else if let index = self.hosts[host]?.waiters.firstIndex(where: { $0.id == id }),
            let waiter = self.hosts[host]?.waiters.remove(at: index)
        {
            self.hosts[host]?.shares[waiter.client]?.waiting -= 1
        }
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
        if let least = host.leastHeld {
            for holder in host.holders.values
            where holder.yields && !holder.isAsked && host.held(by: holder.client) >= least + 2 {
                times.append(holder.grantedAt + self.limits.shortRest)
            }
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
            let waiter = Self.takeNext(of: &host)
            host.holders[waiter.id] = Holder(client: waiter.client, grantedAt: now)
            effects.append(.grant(waiter.id))
        }
        let isOverdue = host.waiters.first.map { now - $0.since >= self.limits.turn } ?? false
        let surplus = self.surplusHolder(in: host, at: now)
        for id in self.candidates(in: host, surplus: surplus, at: now) {
            host.holders[id]?.isAsked = true
            let holder = host.holders[id]
            // One that rests at its own pace, between pieces that it is limited to, declines otherwise for ever.
            let isTurnOver =
                isOverdue && holder.map { now - $0.grantedAt >= self.limits.turn } ?? false
            effects.append(
                .ask(id, isInUse: isTurnOver || id == surplus || holder?.restingSince == nil)
            )
        }
        self.hosts[name] = host
        return effects
    }

    /// Takes the waiter out of the queue whose turn it is; there is one.
    private static func takeNext(of host: inout Host) -> Waiter {
        let next = host.shares.filter { $0.value.waiting > 0 }.min { left, right in
            (left.value.held, left.value.lastGrant, left.value.number)
                < (right.value.held, right.value.lastGrant, right.value.number)
        }
        let client = next?.key ?? host.waiters[0].client
        var share = next?.value ?? Share(number: 0)
        let index =
            share.newestIsNext
            ? host.waiters.lastIndex { $0.client == client }
            : host.waiters.firstIndex { $0.client == client }
        let waiter = host.waiters.remove(at: index ?? 0)
        // One that waits alone is both.
        if share.waiting > 1 { share.newestIsNext.toggle() }
        share.waiting -= 1
        share.held += 1
        host.grantCount += 1
        share.lastGrant = host.grantCount
        host.shares[client] = share
        if host.shares.count > Self.mostIdle + host.holders.count + host.waiters.count + 1 {
            host.shares = host.shares.filter { !$0.value.isIdle }
        }
        return waiter
    }

    /// The newest waiter of the client of which most wait.
    private static func surplusWaiter(in host: Host) -> Int {
        let most = host.shares.values.lazy.map(\.waiting).max()
        return host.waiters.lastIndex { host.shares[$0.client]?.waiting == most }
            ?? host.waiters.count - 1
    }

    /// The slot that a client gives back to one that waits and has two fewer, or even less.
    private func surplusHolder(in host: Host, at now: Duration) -> ID? {
        guard let least = host.leastHeld else { return nil }
        let held = host.holders.filter { _, holder in
            !holder.isAsked && holder.yields && now - holder.grantedAt >= self.limits.shortRest
                && host.held(by: holder.client) >= least + 2
        }
        return held.min { left, right in
            let held = (host.held(by: left.value.client), host.held(by: right.value.client))
            return (held.1, left.value.grantedAt, left.key.rawValue)
                < (held.0, right.value.grantedAt, right.key.rawValue)
        }?.key
    }

    /// The holders that are to give a slot back: each that rests for too long, and as many as are waited for.
    ///
    /// - Parameters:
    ///   - host: the host.
    ///   - surplus: the one that gives its slot to another client, if it comes to that.
    ///   - now: the time.
    /// - Returns: the holders to ask.
    private func candidates(in host: Host, surplus: ID?, at now: Duration) -> [ID] {
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
        if others.isEmpty, asked == 0, let surplus {
            others = [surplus]
        } else if others.isEmpty, asked == 0, waited >= self.limits.turn {
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
