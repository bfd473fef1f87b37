// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirAVFoundation
import WeirSource
import WeirTestKit

/// Lets a ``SimulatedPlayer`` play on a server, with simulated sources, in an order that a seed
/// decides.
///
/// Possible events are answers of sources, ends of waits and actions of the player. The simulation
/// draws one event at a time, passes it to the server of its asset, and performs the effects, until
/// no event is left. The same seed always gives the same run, on every machine.
package struct ServerSimulation {
    private let scenario: Scenario
    private let isRecorded: Bool
    private var generator: SeededGenerator
    private var player: SimulatedPlayer
    private var sides: [Side]
    private var actions: [SimulatedPlayer.Action] = []
    private var firstAction = 0
    private var report: SimulationReport

    /// The state for one asset.
    private struct Side {
        /// Passes an event to the asset's server; a closure, since generic code is slow where it is
        /// not specialised.
        let handle: (LoadingRequestServer.Event) -> [LoadingRequestServer.Effect]
        let heldCount: () -> Int
        var origin: SimulatedOrigin
        var audit: EffectAudit
        var waits: [LoadingRequestServer.WaitID] = []
        var arrived = RangeSet<Int64>()

        init(_ server: some RequestAnswering, _ origin: SimulatedOrigin, _ audit: EffectAudit) {
            var server = server
            self.handle = { server.handle($0) }
            self.heldCount = { server.heldCount }
            self.origin = origin
            self.audit = audit
        }
    }

    /// Creates a run.
    ///
    /// - Parameters:
    ///   - scenario: the inputs.
    ///   - seed: decides the order of events.
    ///   - isRecorded: whether the report has a transcript.
    ///   - make: makes the server of an asset.
    package init(
        _ scenario: Scenario,
        seed: UInt64,
        isRecorded: Bool = false,
        make: (LoadingRequestServer.Limits) -> some RequestAnswering
    ) {
        self.scenario = scenario
        self.isRecorded = isRecorded
        self.generator = SeededGenerator(seed: seed)
        self.report = SimulationReport(seed: seed, script: scenario.script.name)
        self.player = SimulatedPlayer(
            scenario.script,
            media: scenario.media,
            releases: scenario.releases,
            mostRequests: scenario.limits.requests,
            largestPiece: scenario.limits.largestPiece
        )
        self.sides = scenario.media.indices.map { asset in
            Side(
                make(scenario.limits),
                SimulatedOrigin(scenario.media[asset], habits: scenario.habits[asset]),
                EffectAudit(limits: scenario.limits, medium: scenario.media[asset])
            )
        }
    }

    /// Plays the scenario of a seed; plays it again with a transcript if a rule was broken.
    ///
    /// - Parameters:
    ///   - seed: decides everything.
    ///   - make: makes the server of an asset.
    /// - Returns: the report.
    package static func run(
        seed: UInt64,
        make: (LoadingRequestServer.Limits) -> some RequestAnswering
    ) -> SimulationReport {
        let scenario = Scenario(seed: seed)
        var simulation = ServerSimulation(scenario, seed: seed, make: make)
        let report = simulation.run()
        if report.violations.isEmpty { return report }
        var again = ServerSimulation(scenario, seed: seed, isRecorded: true, make: make)
        return again.run()
    }

    /// Plays to the end, or for a few steps after the first breach, since one breach often has
    /// several symptoms.
    ///
    /// A recorded run stops at the breach.
    ///
    /// - Returns: the report.
    package mutating func run() -> SimulationReport {
        for asset in self.sides.indices {
            if self.scenario.isPrepared { self.tell(.prepared, asset) }
            if self.scenario.isHeld { self.tell(.held(self.everything(of: asset)), asset) }
        }
        self.actions += self.player.started()
        var last = self.scenario.mostSteps
        while self.report.steps < last {
            if self.report.steps == self.scenario.leavesAt { self.actions += self.player.leave() }
            if !self.step() {
                for asset in self.sides.indices { self.sides[asset].audit.rested() }
                let actions = self.player.rested()
                self.actions += actions
                if actions.isEmpty { break }
            }
            if last == self.scenario.mostSteps, self.isBroken {
                last = self.report.steps + (self.isRecorded ? 0 : 40)
            }
        }
        self.report.violations = self.player.violations + self.sides.flatMap(\.audit.violations)
        if self.report.violations.isEmpty, self.report.steps >= self.scenario.mostSteps {
            self.report.violations.append(Violation(.rests, "\(self.report.steps) steps"))
        }
        self.report.requests = self.player.requests
        self.report.received = self.player.received
        return self.report
    }

    private var isBroken: Bool {
        !self.player.violations.isEmpty
            || self.sides.indices.contains { !self.sides[$0].audit.violations.isEmpty }
    }

    private func everything(of asset: Int) -> Availability {
        let length = self.scenario.media[asset].length
        return Availability(held: RangeSet(0..<length), length: length)
    }

    // MARK: The next event

    /// Performs one event; `false` if there is none.
    private mutating func step() -> Bool {
        self.report.steps += 1
        var answers = 0
        var waits = 0
        for asset in self.sides.indices {
            answers += self.sides[asset].origin.answerCount
            waits += self.sides[asset].waits.count
        }
        let pace = self.scenario.pace
        let player = self.firstAction < self.actions.count ? pace.player : 0
        let source = answers > 0 ? pace.source : 0
        let wait = waits > 0 ? pace.wait : 0
        guard player + source + wait > 0 else { return false }
        let drawn = Double.random(in: 0..<(player + source + wait), using: &self.generator)
        if drawn < player {
            self.act()
        } else if drawn < player + source {
            self.answer(Int.random(in: 0..<max(1, answers), using: &self.generator))
        } else {
            self.elapse(Int.random(in: 0..<max(1, waits), using: &self.generator))
        }
        return true
    }

    private mutating func act() {
        let action = self.actions[self.firstAction]
        self.firstAction += 1
        if self.firstAction > 64 {
            self.actions.removeFirst(self.firstAction)
            self.firstAction = 0
        }
        self.player.performed(action)
        switch action {
        case .request(let request, let asset): self.tell(.requested(request), asset)
        case .cancel(let id, let asset): self.tell(.cancelled(id), asset)
        case .release(let id, let count, let asset): self.tell(.released(id, count), asset)
        case .abandon(let asset): self.tell(.abandoned, asset)
        }
    }

    private mutating func answer(_ number: Int) {
        var number = number
        for asset in self.sides.indices {
            for index in self.sides[asset].origin.readings.indices
            where self.sides[asset].origin.readings[index].canAnswer {
                guard number == 0 else {
                    number -= 1
                    continue
                }
                let before = self.sides[asset].origin.readings[index].position
                let (event, trouble) = self.sides[asset].origin.answer(
                    index,
                    using: &self.generator
                )
                if let trouble { self.player.troubled(trouble, asset: asset) }
                if case .arrived(_, let bytes) = event { self.count(bytes.count, before, asset) }
                return self.tell(event, asset)
            }
        }
    }

    /// Counts the arrived bytes, and how many of them had arrived before.
    private mutating func count(_ count: Int, _ start: Int64, _ asset: Int) {
        let range = start..<(start + Int64(count))
        let new = RangeSet(range).subtracting(self.sides[asset].arrived)
        let fresh = new.ranges.reduce(Int64(0)) { $0 + ($1.upperBound - $1.lowerBound) }
        self.report.arrived += Int64(count)
        self.report.arrivedAgain += Int64(count) - fresh
        self.sides[asset].arrived.insert(contentsOf: range)
    }

    private mutating func elapse(_ number: Int) {
        var number = number
        for asset in self.sides.indices {
            guard number >= self.sides[asset].waits.count else {
                let wait = self.sides[asset].waits.remove(at: number)
                return self.tell(.waited(wait), asset)
            }
            number -= self.sides[asset].waits.count
        }
    }

    // MARK: Performing

    private mutating func tell(_ event: LoadingRequestServer.Event, _ asset: Int) {
        if self.isRecorded { self.report.transcript.append("\(asset) > \(event.line)") }
        self.sides[asset].audit.tells(event)
        for effect in self.sides[asset].handle(event) {
            if self.isRecorded { self.report.transcript.append("\(asset)     \(effect.line)") }
            self.sides[asset].audit.wants(effect)
            self.perform(effect, asset)
        }
        self.sides[asset].audit.settled(held: self.sides[asset].heldCount())
    }

    private mutating func perform(_ effect: LoadingRequestServer.Effect, _ asset: Int) {
        switch effect {
        case .read(let id, let demand): self.sides[asset].origin.read(id, demand)
        case .pull(let id, let count): self.sides[asset].origin.pull(id, atMost: count)
        case .drop(let id):
            let isLate =
                Double.random(in: 0..<1, using: &self.generator) < self.scenario.lateAnswers
            self.sides[asset].origin.drop(id, isLate: isLate)
        case .fill(let id, let information):
            self.actions += self.player.informed(id, information)
        case .respond(let id, let bytes): self.actions += self.player.received(id, bytes)
        case .finish(let id): self.actions += self.player.finished(id)
        case .fail(let id, let failure): self.actions += self.player.failed(id, failure)
        case .wait(let id, _): self.sides[asset].waits.append(id)
        case .tell: break
        }
    }
}

/// Answers the requests of one asset, as ``WeirAVFoundation/LoadingRequestServer`` does: events in,
/// effects out.
///
/// A test wraps the server to break its promises.
package protocol RequestAnswering {
    /// Handles an event, and returns the effects.
    mutating func handle(_ event: LoadingRequestServer.Event) -> [LoadingRequestServer.Effect]
    /// How many bytes wait to be sent to the player.
    var heldCount: Int { get }
    /// The number of requests that have not ended.
    var requestCount: Int { get }
}

extension LoadingRequestServer: RequestAnswering {}

/// The result of a simulation.
package struct SimulationReport: Sendable {
    /// The seed of the run.
    package let seed: UInt64
    /// The name of the played script.
    package let script: String
    /// The broken rules.
    package var violations: [Violation] = []
    /// The number of events.
    package var steps = 0
    /// The requests, in the order in which they were made.
    package var requests: [LoadingRequestServer.Request] = []
    /// How many bytes each request received.
    package var received: [Int64] = []
    /// How many bytes the sources delivered.
    package var arrived: Int64 = 0
    /// How many of these bytes were delivered before: a source that keeps nothing would have to
    /// read them again.
    package var arrivedAgain: Int64 = 0
    /// The last events and effects, if they were recorded.
    package var transcript: [String] = []

    /// The broken rules, and the events before them.
    package var failure: String {
        """
        seed \(self.seed), \(self.script), \(self.steps) steps
        \(self.violations.prefix(5).map(\.description).joined(separator: "\n"))
        \(self.transcript.suffix(60).joined(separator: "\n"))
        """
    }
}

extension LoadingRequestServer.Event {
    /// The event in a few words, for a transcript.
    package var line: String {
        switch self {
        case .prepared: "prepared"
        case .requested(let request):
            "requested r\(request.id.rawValue) \(request.line)"
        case .cancelled(let id): "cancelled r\(id.rawValue)"
        case .released(let id, let count): "released r\(id.rawValue) \(count)"
        case .opened(let id, let description, let lowerBound):
            "opened f\(id.rawValue) at \(lowerBound) of"
                + " \(description.length.map { "\($0)" } ?? "?")"
        case .arrived(let id, let bytes): "arrived f\(id.rawValue) \(bytes.count)"
        case .ended(let id): "ended f\(id.rawValue)"
        case .failed(let id, let error): "failed f\(id.rawValue) \(error.code)"
        case .waited(let id): "waited w\(id.rawValue)"
        case .held(let availability): "held \(availability.isComplete ? "all" : "some")"
        case .abandoned: "abandoned"
        }
    }
}

extension LoadingRequestServer.Request {
    /// The request in a few words, for a transcript.
    var line: String {
        let information = self.wantsInformation ? "?" : ""
        guard let bytes else { return information }
        let count = bytes.length == .max ? "max" : "\(bytes.length)"
        return "\(information)\(bytes.offset)+\(count)\(bytes.toTheEnd ? " to the end" : "")"
    }
}

extension LoadingRequestServer.Effect {
    /// The effect in a few words, for a transcript.
    package var line: String {
        switch self {
        case .read(let id, let demand):
            "read f\(id.rawValue) \(demand.range)\(demand.version == nil ? "" : " pinned")"
        case .pull(let id, let count): "pull f\(id.rawValue) \(count)"
        case .drop(let id): "drop f\(id.rawValue)"
        case .fill(let id, let information):
            "fill r\(id.rawValue) \(information.type?.identifier ?? "-")"
                + " \(information.length.map { "\($0)" } ?? "?")"
        case .respond(let id, let bytes): "respond r\(id.rawValue) \(bytes.count)"
        case .finish(let id): "finish r\(id.rawValue)"
        case .fail(let id, let failure): "fail r\(id.rawValue) \(failure.line)"
        case .wait(let id, let duration): "wait w\(id.rawValue) \(duration)"
        case .tell(let event): "tell \(event.line)"
        }
    }
}

extension LoadingFailure {
    fileprivate var line: String {
        switch self {
        case .source(let error): "\(error.code)"
        case .endedEarly(let position, let end): "ended at \(position) of \(end)"
        case .typeNotAllowed: "type not allowed"
        case .cancelled: "cancelled"
        }
    }
}

extension MediaAssetEvent {
    fileprivate var line: String {
        switch self {
        case .loadedWhole: "loaded whole"
        case .failed(let error): "failed \(error.code)"
        case .sourceChanged: "source changed"
        case .missed(let count): "missed \(count)"
        }
    }
}
