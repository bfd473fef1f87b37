// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Decides which requests get a connection to a host, which wait, and which holders give one back.
///
/// A pure machine. A host has a bounded number of slots, one for each connection. A holder is a
/// request that has a slot, until its body has ended. While requests wait, the next free slot goes
/// to the client with the fewest slots, and among equals to the client whose last grant is oldest.
/// Within a client, the newest request and the one that has waited longest are granted in turn. So
/// a seek is fast, and every request gets its turn.
///
/// While a request waits, the machine asks holders for their slots, in this order:
///
/// - abandoned holders, at once;
/// - holders whose consumers pull no bytes; the one that has rested longest is first;
/// - if there are none, one busy holder of a client that has at least two slots more than a waiting
///   client, if the holder has had its slot for ``Limits/shortRest``;
/// - otherwise, when a request has waited for ``Limits/turn``, the holder that has had its slot
///   longest, if for at least that time.
///
/// A busy holder gives its slot back in the middle of its work, and waits for its next turn with
/// the others. A holder that rests for ``Limits/longRest`` is asked even if no request waits.
///
/// The machine asks only holders that have announced that they can give their slots back
/// (``yields(_:)``), and abandoned ones. A body that cannot continue at a byte keeps its slot.
struct HostSlots {
    /// Identifies a slot, granted or waited for.
    struct ID: Hashable, Sendable {
        let rawValue: UInt64
    }

    /// The limits of a host.
    struct Limits: Hashable, Sendable {
        /// The slots of a host.
        var slots = 16
        /// How many requests may wait for a slot of a host.
        var waiters = 1024
        /// How long a holder must rest before it is asked for its slot soon after a request
        /// arrives.
        var shortRest = Duration.seconds(1)
        /// How long a request must wait before every resting holder is asked, however short its
        /// rest.
        var patience = Duration.seconds(2)
        /// How long a request must wait, and a holder must have its slot, before a busy holder is
        /// asked.
        var turn = Duration.seconds(10)
        /// How long a holder may rest when no request waits.
        var longRest = Duration.seconds(10)
    }

    /// The effects that the shell must perform, in this order.
    enum Effect: Hashable {
        /// The request gets its slot.
        case grant(ID)
        /// Too many requests already wait: this request fails.
        case refuse(ID)
        /// Ask the holder for its slot; the shell then calls ``released(_:at:)`` or
        /// ``declined(_:)``.
        case ask(ID, isInUse: Bool)
    }

    private struct Holder {
        let client: ClientID
        let grantedAt: Duration
        /// The time at which its consumer stopped pulling; `nil` while it pulls.
        var restingSince: Duration?
        /// Whether its bytes are no longer needed.
        var isAbandoned = false
        /// Whether it can continue at its byte over another connection.
        var yields = false
        var isAsked = false
    }

    private struct Waiter {
        let id: ID
        let client: ClientID
        let since: Duration
    }

    /// The share of a client in the slots of a host.
    private struct Share {
        /// Decides between clients that have had no grant yet.
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
        /// The waiting requests; the one that has waited longest is first.
        var waiters: [Waiter] = []
        var shares: [ClientID: Share] = [:]
        var grantCount: UInt64 = 0

        /// The smallest number of slots that a waiting client holds; `nil` if no client waits.
        var leastHeld: Int? {
            if self.waiters.isEmpty { return nil }
            return self.shares.values.lazy.filter { $0.waiting > 0 }.map(\.held).min()
        }

        func held(by client: ClientID) -> Int { self.shares[client]?.held ?? 0 }
    }

    /// How many idle clients of a host are remembered: those that neither hold a slot nor wait for
    /// one.
    private static let mostIdle = 64

    let limits: Limits
    private var hosts: [String: Host] = [:]
    private var hostOf: [ID: String] = [:]
    private var lastID: UInt64 = 0

    init(_ limits: Limits = Limits()) {
        self.limits = limits
    }

    // MARK: Events

    /// Takes a request for a connection to a host.
    ///
    /// Abandoned connections of the host are given up at once: their bytes would take bandwidth
    /// from the new request. When too many requests wait, the newest request of the client with the
    /// most waiting requests fails.
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

    /// Records that a waiting request has ended, or that a holder has given its slot back.
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

    /// Records that a holder can continue at its byte over another connection.
    mutating func yields(_ id: ID) {
        self.change(id) { $0.yields = true }
    }

    /// Records that a holder's consumer has a piece and does not pull yet.
    mutating func rested(_ id: ID, at now: Duration) -> [Effect] {
        self.change(id) { $0.restingSince = $0.restingSince ?? now }
        guard let host = self.hostOf[id], self.hosts[host]?.waiters.isEmpty == false else {
            return []
        }
        return self.reviewed(host, at: now)
    }

    /// Records that a holder's consumer pulls again.
    mutating func resumed(_ id: ID) {
        self.change(id) { $0.restingSince = nil }
    }

    /// Records that a holder's bytes are no longer needed.
    ///
    /// The holder keeps its connection for a while, in case the bytes are needed again.
    mutating func abandoned(_ id: ID, at now: Duration) -> [Effect] {
        self.change(id) { $0.isAbandoned = true }
        guard let host = self.hostOf[id] else { return [] }
        return self.reviewed(host, at: now)
    }

    /// Records that a holder's bytes are needed after all.
    mutating func reclaimed(_ id: ID) {
        self.change(id) { holder in
            holder.isAbandoned = false
            holder.isAsked = false
        }
    }

    /// Records that a holder cannot give its slot back now.
    mutating func declined(_ id: ID) {
        self.change(id) { $0.isAsked = false }
    }

    /// Reviews all hosts after some time; see ``deadline(after:)``.
    mutating func ticked(at now: Duration) -> [Effect] {
        self.hosts.keys.sorted().flatMap { self.reviewed($0, at: now) }
    }

    // MARK: Facts

    /// The next time at which ``ticked(at:)`` may have effects; `nil` for never.
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

    /// How many requests wait, over all hosts.
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
            // A holder that rests because of a rate limit would otherwise decline forever.
            let isTurnOver =
                isOverdue && holder.map { now - $0.grantedAt >= self.limits.turn } ?? false
            effects.append(
                .ask(id, isInUse: isTurnOver || id == surplus || holder?.restingSince == nil)
            )
        }
        self.hosts[name] = host
        return effects
    }

    /// Takes the next waiter out of the queue, which must not be empty.
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
        // A single waiter is both the newest and the oldest.
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

    /// The index of the newest waiter of the client with the most waiters.
    private static func surplusWaiter(in host: Host) -> Int {
        let most = host.shares.values.lazy.map(\.waiting).max()
        return host.waiters.lastIndex { host.shares[$0.client]?.waiting == most }
            ?? host.waiters.count - 1
    }

    /// The slot to take from a client that has at least two more than a waiting client.
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

    /// The holders to ask: those that rest too long, and as many more as requests wait.
    ///
    /// - Parameters:
    ///   - host: the host.
    ///   - surplus: the holder that gives its slot to another client if no other holder is found.
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
            // One at a time: the waiting requests get their turns one after the other.
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
