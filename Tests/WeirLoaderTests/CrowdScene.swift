// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource
import WeirTestKit

@testable import WeirLoader

/// Clients of one cold resource, and its origin, around a plan.
///
/// A seed draws the order of the events. Each client requests its ranges one after the other, the
/// next one when it has all bytes of the last. The origin answers in any order, in pieces of any
/// size.
struct CrowdScene: ~Copyable {
    /// How often each kind of event happens, relative to the others.
    struct Pace {
        var arrival = 1
        var answer = 1
        var piece = 1
        var end = 1
        var reading = 1
        /// Departures: a client leaves before it has its bytes, and comes again.
        var departure = 0
        /// The most bytes that the origin sends at once.
        var sent: Int64 = 1 << 20
        /// The most bytes that a client takes at once.
        var taken: Int64 = .max

        /// Draws a pace; some kinds of events may happen much more often than others.
        static func drawn(by generator: inout SeededGenerator) -> Pace {
            func weight() -> Int { [1, 1, 4, 30].randomElement(using: &generator) ?? 1 }
            return Pace(
                arrival: weight(),
                answer: weight(),
                piece: weight(),
                end: weight(),
                reading: weight()
            )
        }
    }

    /// The result when all clients have their bytes.
    struct Outcome {
        /// Requests that were sent to the origin.
        var requests = 0
        /// Bytes that the origin has sent.
        var bytes: Int64 = 0
        /// The union of all demands.
        var demanded = RangeSet<Int64>()
        /// The number of runs that each demand added to the union, summed up.
        var additions = 0
        /// Demands that left without all their bytes.
        var departures = 0
        /// The most requests sent for other readers while a reader waited for one.
        var longestWait = 0
        /// Why the run did not finish.
        var failure: String?

        /// The runs of the union.
        var runs: Int { self.demanded.ranges.count }
    }

    private struct Client {
        var ranges: [Range<Int64>]
        var demand: DemandID?
        var position: Int64 = 0
        /// How many requests had been sent when the client began to wait for one.
        var waitsSince: Int?
    }

    private struct Request {
        let id: FetchID
        /// The end of the bytes that the plan knows.
        var position: Int64
        /// The end of the written bytes; readers may get them before the plan knows of them.
        var written: Int64
        var end: Int64
        var isAnswered = false
        var isHeld = false
        var isLingering = false

        /// Whether the plan knows all of its bytes.
        var isOver: Bool { self.position == self.end }
    }

    private var plan: FetchPlan
    private let length: Int64
    /// Whether the origin sends the whole resource, whatever was requested.
    private let ignoresRanges: Bool
    private let pace: Pace
    private var clients: [Client]
    private var requests: [Request] = []
    private var lastDemand = 0
    private var generator: SeededGenerator
    private var outcome = Outcome()

    init(
        _ ranges: [[Range<Int64>]],
        length: Int64,
        ignoresRanges: Bool = false,
        policy: LoadPolicy = LoadPolicy(),
        pace: Pace,
        generator: SeededGenerator
    ) {
        self.plan = FetchPlan(policy: policy)
        self.length = length
        self.ignoresRanges = ignoresRanges
        self.pace = pace
        self.clients = ranges.map { Client(ranges: $0) }
        self.generator = generator
    }

    /// Runs until all clients have all of their bytes, and all requests have ended.
    mutating func run() -> Outcome {
        while self.clients.contains(where: { !$0.ranges.isEmpty }) || !self.requests.isEmpty,
            self.outcome.failure == nil
        {
            if !self.step() {
                self.outcome.failure = "nothing can happen, and clients or requests wait"
            }
        }
        return self.outcome
    }

    // MARK: Events

    private enum Event {
        case arrival(Int)
        case answer(Int)
        case piece(Int)
        case report(Int)
        case end(Int)
        case reading(Int)
        case departure(Int)
    }

    /// Performs one of the events that can happen now; `false` if no event can happen.
    private mutating func step() -> Bool {
        var events: [(event: Event, weight: Int)] = []
        for (index, client) in self.clients.enumerated() where !client.ranges.isEmpty {
            if client.demand == nil {
                events.append((.arrival(index), self.pace.arrival))
            } else {
                if self.readable.contains(client.position), self.pace.reading > 0 {
                    events.append((.reading(index), self.pace.reading))
                }
                if self.pace.departure > 0 {
                    events.append((.departure(index), self.pace.departure))
                }
            }
        }
        for (index, request) in self.requests.enumerated() {
            if !request.isAnswered {
                events.append((.answer(index), self.pace.answer))
            } else if request.written > request.position {
                events.append((.report(index), self.pace.piece))
            } else if !request.isHeld, request.position < request.end {
                events.append((.piece(index), self.pace.piece))
            }
            // A paused request does not receive the end of its response, unless it lingers.
            if request.isLingering || request.isAnswered && !request.isHeld && request.isOver {
                events.append((.end(index), self.pace.end))
            }
        }
        let sum = events.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { return false }
        var drawn = Int.random(in: 0..<sum, using: &self.generator)
        for (event, weight) in events {
            drawn -= weight
            if drawn < 0 {
                self.happen(event)
                self.look()
                return true
            }
        }
        return false
    }

    private mutating func happen(_ event: Event) {
        switch event {
        case .arrival(let index): self.arrive(index)
        case .answer(let index):
            self.requests[index].isAnswered = true
            if self.ignoresRanges {
                self.requests[index].position = 0
                self.requests[index].written = 0
                self.requests[index].end = self.length
            }
            let request = self.requests[index]
            self.perform(
                self.plan.opened(
                    request.id,
                    at: request.position,
                    length: self.length,
                    ignoresRanges: self.ignoresRanges,
                    coversWhole: self.ignoresRanges,
                    overlap: 0
                )
            )
        case .piece(let index):
            let request = self.requests[index]
            let count = self.part(of: min(request.end - request.written, self.pace.sent))
            self.requests[index].written += count
            self.outcome.bytes += count
        case .report(let index):
            let request = self.requests[index]
            self.requests[index].position = request.written
            self.perform(self.plan.arrived(request.id, upTo: request.written))
        case .end(let index):
            let request = self.requests[index]
            if request.isOver, !request.isHeld {
                self.requests.remove(at: index)
                self.perform(self.plan.finished(request.id))
            } else {
                self.perform(self.plan.lingered(request.id))
            }
        case .reading(let index): self.read(index)
        case .departure(let index):
            self.outcome.departures += 1
            self.leave(index)
        }
    }

    private mutating func arrive(_ index: Int) {
        let range = self.clients[index].ranges[0]
        self.outcome.additions += RangeSet(range).subtracting(self.outcome.demanded).ranges.count
        self.outcome.demanded.insert(contentsOf: range)
        self.lastDemand += 1
        let id = DemandID(rawValue: self.lastDemand)
        self.clients[index].demand = id
        self.clients[index].position = range.lowerBound
        self.perform(self.plan.demanded(id, .span(range)))
    }

    private mutating func read(_ index: Int) {
        let client = self.clients[index]
        guard let id = client.demand,
            let run = self.readable.run(containing: client.position)
        else { return }
        let range = client.ranges[0]
        let left = min(run.upperBound, range.upperBound) - client.position
        self.clients[index].position += self.part(of: min(left, self.pace.taken))
        self.perform(self.plan.advanced(id, to: self.clients[index].position))
        guard self.clients[index].position == range.upperBound else { return }
        self.leave(index)
        self.clients[index].ranges.removeFirst()
    }

    /// The bytes that a client can take: all that are written, although the plan may not know of
    /// the last ones yet.
    private var readable: RangeSet<Int64> {
        self.requests.reduce(into: self.plan.held) { held, request in
            held.insert(contentsOf: request.position..<request.written)
        }
    }

    /// The whole count in half of the cases, otherwise a random part of it.
    private mutating func part(of count: Int64) -> Int64 {
        Bool.random(using: &self.generator)
            ? count : Int64.random(in: 1...count, using: &self.generator)
    }

    private mutating func leave(_ index: Int) {
        guard let id = self.clients[index].demand else { return }
        self.clients[index].demand = nil
        self.clients[index].waitsSince = nil
        self.perform(self.plan.departed(id))
    }

    // MARK: Effects

    private mutating func perform(_ effects: [FetchPlan.Effect]) {
        for effect in effects {
            switch effect {
            case .open(let id, let range, _):
                guard let range = range.resolved(inLength: self.length) else {
                    self.outcome.failure = "\(effect) is past the end"
                    return
                }
                self.outcome.requests += 1
                self.requests.append(
                    Request(
                        id: id,
                        position: range.lowerBound,
                        written: range.lowerBound,
                        end: range.upperBound
                    )
                )
            case .pause(let id): self.change(id) { ($0.isHeld, $0.isLingering) = (true, false) }
            case .proceed(let id): self.change(id) { ($0.isHeld, $0.isLingering) = (false, false) }
            case .linger(let id): self.change(id) { ($0.isHeld, $0.isLingering) = (true, true) }
            case .close(let id): self.requests.removeAll { $0.id == id }
            case .verify, .fail: self.outcome.failure = "\(effect) was not to be expected"
            }
        }
    }

    private mutating func change(_ id: FetchID, _ change: (inout Request) -> Void) {
        guard let index = self.requests.firstIndex(where: { $0.id == id }) else { return }
        change(&self.requests[index])
    }

    /// Measures how long readers have waited for a request.
    ///
    /// Fails if too many requests run, or if a request is paused although the plan believes that it
    /// runs.
    private mutating func look() {
        for request in self.requests where request.isHeld {
            let state = self.plan.fetches.first { $0.id == request.id }?.state
            if state != .paused, state != .lingering {
                self.outcome.failure = "\(request.id) waits for ever"
            }
        }
        if self.requests.count > self.plan.policy.maximumFetches {
            self.outcome.failure = "\(self.requests.count) requests run at the same time"
        }
        for index in self.clients.indices {
            let client = self.clients[index]
            let isWaiting =
                client.demand != nil && !self.plan.held.contains(client.position)
                && !self.plan.fetches.contains { $0.brings(client.position, within: .max) }
            guard isWaiting, self.plan.isDescribed else {
                self.clients[index].waitsSince = nil
                continue
            }
            let since = client.waitsSince ?? self.outcome.requests
            self.clients[index].waitsSince = since
            self.outcome.longestWait = max(
                self.outcome.longestWait,
                self.outcome.requests - since
            )
        }
    }
}
