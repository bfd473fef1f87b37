// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Decides whose turn it is when clients share a rate: a pure machine.
///
/// A turn costs units of the rate: bytes, or requests. Clients take turns, however many turns each
/// client waits for. The lines of a client, its connections for example, take turns as well. The
/// turns of a line come in the order of their requests. If turns differ in cost, clients get the
/// same number of units, not of turns.
///
/// The queue uses start-time fair queueing among the clients (Goyal, Vin and Cheng, SIGCOMM 1996).
/// If n other clients wait, a new client waits for the current turn and at most one turn of each of
/// them. A rate for each client can delay the client further. Unused time is not saved: after a
/// pause the first turn is granted at once, and the next turn when the first is paid for.
package struct TurnQueue {
    /// The rates, in units a second; `nil` for no limit.
    package struct Rates: Hashable, Sendable {
        /// The rate of all clients together.
        package var all: Int64?
        /// The rate of each client.
        package var client: Int64?

        package init(all: Int64? = nil, client: Int64? = nil) {
            self.all = all.map { max(1, $0) }
            self.client = client.map { max(1, $0) }
        }
    }

    /// Identifies a requested turn.
    package struct Turn: Hashable, Sendable {
        package let client: ClientID
        fileprivate let line: UInt64
        fileprivate let number: UInt64
    }

    fileprivate struct Request {
        let number: UInt64
        let cost: Int64
        /// The time of the request.
        let since: Duration
    }

    /// The state of a client.
    fileprivate struct Account {
        /// The requested turns, by line.
        var lines: [UInt64: [Request]] = [:]
        /// The lines in the order of their turns.
        var order: [UInt64] = []
        /// The end of its last turn in the queue's virtual time; its next turn starts there.
        var finish: Int64 = 0
        /// The time when its granted turns will be paid for at its own rate.
        var paidUntil = Duration.zero
        /// The last turn that it was granted.
        var lastTurn: UInt64?
        /// Whether it has an entry in `ready` or `resting`.
        var isStanding = false
    }

    /// A client that its own rate does not delay; it waits only for other clients.
    private struct Ready {
        let client: ClientID
        /// The start of its turn, in virtual time.
        let start: Int64
        /// The time since which its own rate does not delay it.
        let since: Duration
    }

    /// How late a turn may be granted without a loss for the rate: timers fire late.
    private static let slack = Duration.milliseconds(50)
    /// The number of remembered clients at which the queue also forgets idle clients that have
    /// something to pay.
    private static let mostIdle = 16_384

    private let rates: Rates
    private var accounts: [ClientID: Account] = [:]
    /// The clients that can be granted a turn, the next one last.
    private var ready: [Ready] = []
    /// The clients that wait because of their own rate, the next one last.
    private var resting: [(client: ClientID, until: Duration)] = []
    /// The start of the last granted turn.
    private var virtualTime: Int64 = 0
    /// The end of the last turn of all clients, in virtual time.
    private var lastFinish: Int64 = 0
    /// The time when the granted turns will be paid for at the rate of all clients.
    private var paidUntil = Duration.zero
    /// The last granted turn.
    private var lastTurn: UInt64?
    private var lastNumber: UInt64 = 0
    /// The number of clients at which the queue looks for clients to forget.
    private var room = 1024

    package init(_ rates: Rates) {
        self.rates = rates
    }

    // MARK: Events

    /// A client requests a turn; ``grants(at:)`` returns it when it is granted.
    ///
    /// - Parameters:
    ///   - cost: how many units it takes, 0 or more.
    ///   - client: the client.
    ///   - line: the line within the client; the client's lines take turns.
    ///   - now: the time; never earlier than before.
    /// - Returns: the turn.
    package mutating func asked(
        for cost: Int64,
        by client: ClientID,
        line: UInt64,
        at now: Duration
    ) -> Turn {
        if self.ready.isEmpty, self.resting.isEmpty, self.paidUntil <= now {
            // No client waits and every turn is paid for: from here on, the past turns of clients
            // do not count.
            self.virtualTime = self.lastFinish
        }
        self.lastNumber += 1
        let request = Request(number: self.lastNumber, cost: max(0, cost), since: now)
        if self.accounts[client] == nil { self.makeRoom(at: now) }
        self.accounts[client, default: Account()].add(request, to: line)
        self.stand(client, since: .zero, at: now)
        return Turn(client: client, line: line, number: request.number)
    }

    /// A turn is no longer wanted; if it has not been granted, it costs nothing.
    ///
    /// - Returns: false if it has been granted.
    @discardableResult
    package mutating func left(_ turn: Turn) -> Bool {
        self.accounts[turn.client]?.remove(turn.number, from: turn.line) ?? false
    }

    /// A granted turn has cost less than its request.
    ///
    /// The queue returns the unused part of the turn's time, except time that has already passed.
    /// All of this time counts as passed when a later turn at the same rate has been granted.
    ///
    /// - Parameters:
    ///   - unused: how many units are unused.
    ///   - turn: the turn.
    ///   - now: the time.
    package mutating func returned(_ unused: Int64, of turn: Turn, at now: Duration) {
        let client = turn.client
        guard unused > 0, let isStanding = self.accounts[client]?.isStanding else { return }
        if let rate = self.rates.all, self.lastTurn == turn.number {
            self.paidUntil.give(back: unused, at: rate, now)
        }
        self.accounts[client]?.returned(unused, of: turn.number, self.rates.client, at: now)
        guard isStanding else { return }
        // The client's entry moves to another position.
        self.accounts[client]?.isStanding = false
        let since = self.ready.first { $0.client == client }?.since ?? .zero
        self.ready.removeAll { $0.client == client }
        self.resting.removeAll { $0.client == client }
        self.stand(client, since: since, at: now)
    }

    /// Grants turns after time has passed or an event has occurred.
    ///
    /// - Returns: the turns that are granted now, in their order.
    package mutating func grants(at now: Duration) -> [Turn] {
        while let last = self.resting.last, last.until <= now {
            self.resting.removeLast()
            self.accounts[last.client]?.isStanding = false
            self.stand(last.client, since: last.until, at: now)
        }
        var turns: [Turn] = []
        while self.paidUntil <= now, let next = self.ready.popLast() {
            let client = next.client
            self.accounts[client]?.isStanding = false
            // The client may have given up all its turns.
            guard let (line, request) = self.accounts[client]?.takeFirst() else { continue }
            let since = max(next.since, request.since, now - Self.slack)
            self.accounts[client]?.granted(request, from: next.start, since, self.rates.client)
            if let rate = self.rates.all { self.paidUntil.pay(for: request.cost, at: rate, since) }
            self.virtualTime = max(self.virtualTime, next.start)
            self.lastFinish = max(self.lastFinish, next.start.addingClamped(request.cost))
            self.lastTurn = request.number
            self.stand(client, since: next.since, at: now)
            turns.append(Turn(client: client, line: line, number: request.number))
        }
        return turns
    }

    // MARK: Facts

    /// When a turn can be granted without another event; `nil` for never.
    package var deadline: Duration? {
        let own = self.resting.last.map { max($0.until, self.paidUntil) }
        guard !self.ready.isEmpty else { return own }
        return min(self.paidUntil, own ?? self.paidUntil)
    }

    /// Whether a client's own rate delays it.
    package func isOverItsRate(_ client: ClientID, at now: Duration) -> Bool {
        self.accounts[client].map { $0.paidUntil > now } ?? false
    }

    /// How many clients the queue remembers.
    package var clientCount: Int { self.accounts.count }

    // MARK: Decisions

    /// Inserts a waiting client into `ready` or `resting`, unless it has an entry.
    private mutating func stand(_ client: ClientID, since: Duration, at now: Duration) {
        guard let account = self.accounts[client], !account.isStanding, !account.order.isEmpty
        else { return }
        // `account` is a copy that shares its storage, and is only read.
        self.accounts[client]?.isStanding = true
        let until = account.paidUntil
        if until > now {
            let index = self.resting.partition { $0.until > until }
            return self.resting.insert((client, until), at: index)
        }
        let start = max(self.virtualTime, account.finish)
        let entry = Ready(client: client, start: start, since: since)
        self.ready.insert(entry, at: self.ready.partition { $0.start > start })
    }

    /// Forgets clients that wait for no turn and have nothing to pay.
    private mutating func makeRoom(at now: Duration) {
        guard self.accounts.count >= self.room else { return }
        let virtualTime = self.virtualTime
        self.accounts = self.accounts.filter { entry in
            let account = entry.value
            return !account.order.isEmpty || account.isStanding || account.paidUntil > now
                || account.finish > virtualTime
        }
        if self.accounts.count >= Self.mostIdle {
            // A forgotten client gets its next turn too early.
            self.accounts = self.accounts.filter { !$0.value.order.isEmpty || $0.value.isStanding }
        }
        self.room = max(1024, 2 * self.accounts.count)
    }
}

extension TurnQueue.Account {
    fileprivate mutating func add(_ request: TurnQueue.Request, to line: UInt64) {
        if self.lines[line]?.append(request) == nil {
            self.lines[line] = [request]
            self.order.append(line)
        }
    }

    fileprivate mutating func remove(_ number: UInt64, from line: UInt64) -> Bool {
        guard let index = self.lines[line]?.firstIndex(where: { $0.number == number }) else {
            return false
        }
        self.lines[line]?.remove(at: index)
        if self.lines[line]?.isEmpty == true {
            self.lines[line] = nil
            self.order.removeAll { $0 == line }
        }
        return true
    }

    fileprivate mutating func granted(
        _ request: TurnQueue.Request,
        from start: Int64,
        _ since: Duration,
        _ rate: Int64?
    ) {
        self.lastTurn = request.number
        self.finish = start.addingClamped(request.cost)
        if let rate { self.paidUntil.pay(for: request.cost, at: rate, since) }
    }

    fileprivate mutating func returned(
        _ unused: Int64,
        of turn: UInt64,
        _ rate: Int64?,
        at now: Duration
    ) {
        if let rate, self.lastTurn == turn { self.paidUntil.give(back: unused, at: rate, now) }
        self.finish = self.finish.subtractingClamped(unused)
    }

    /// Takes the next turn, and puts its line behind the others.
    fileprivate mutating func takeFirst() -> (line: UInt64, request: TurnQueue.Request)? {
        guard let line = self.order.first, let request = self.lines[line]?.removeFirst() else {
            return nil
        }
        self.order.removeFirst()
        if self.lines[line]?.isEmpty == true {
            self.lines[line] = nil
        } else {
            self.order.append(line)
        }
        return (line, request)
    }
}

extension Duration {
    /// The time that these units take, at most 31 years.
    fileprivate static func time(of units: Int64, at rate: Int64) -> Duration {
        .seconds(min(Double(units) / Double(rate), 1e9))
    }

    /// Moves the time when everything is paid for; the payment begins at `since` or later.
    fileprivate mutating func pay(for cost: Int64, at rate: Int64, _ since: Duration) {
        self = max(self, since) + .time(of: cost, at: rate)
    }

    /// Returns paid units; time in the past is not saved.
    fileprivate mutating func give(back units: Int64, at rate: Int64, _ now: Duration) {
        self = max(self - .time(of: units, at: rate), min(self, now))
    }
}

extension Array {
    /// The number of elements that meet a condition; they come before all others.
    fileprivate func partition(where isBefore: (Element) -> Bool) -> Int {
        var (lower, upper) = (0, self.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            if isBefore(self[middle]) { lower = middle + 1 } else { upper = middle }
        }
        return lower
    }
}
