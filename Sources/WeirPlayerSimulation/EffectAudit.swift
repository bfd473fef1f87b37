// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

/// Judges a server's reads of its source and the bytes that it holds, which a player cannot see.
///
/// It follows the effects of one asset, without knowledge of the server's decisions.
struct EffectAudit: Sendable {
    typealias RequestID = LoadingRequestServer.RequestID
    typealias ReadID = LoadingRequestServer.ReadID
    typealias WaitID = LoadingRequestServer.WaitID

    /// A request that is being answered.
    struct Live: Sendable {
        let id: RequestID
        let bytes: LoadingRequestServer.Request.Bytes?
        var isInformed: Bool
        var position: Int64
        var given: Int64 = 0
        var outstanding: Int64 = 0
        /// Whether the player may be full, so that older requests need not wait for this one.
        ///
        /// It may have kept bytes of this request for as long as `limits.patience`.
        var mayBeSated = false

        /// Whether a reading at a position may serve this request.
        func needs(_ position: Int64, within count: Int) -> Bool {
            self.bytes != nil && self.position <= position
                && position <= self.position + Int64(count)
        }
    }

    /// A reading that has not ended.
    struct Reading: Sendable {
        let id: ReadID
        let start: Int64
        var position: Int64
        var isPulled = false
    }

    let limits: LoadingRequestServer.Limits
    let medium: SimulatedMedium
    var violations: [Violation] = []
    var lives: [Live] = []
    var readings: [Reading] = []
    var waits: [WaitID: Duration] = [:]
    var patienceSpent: Int64 = 0
    var isDescribed = false
    var hasChanged = false
    var isAbandoned = false
    var hasToldWhole = false
    /// How many of the first bytes are kept.
    var headCount: Int64 = 0
    /// The positions at which former readings stopped.
    var stops: Set<Int64> = []
    var gone = 0
    var arrivedBeyondHead: Int64 = 0
    var givenBeyondHead: Int64 = 0
    /// Whether the current event lets the server send a small number of gathered bytes.
    var mayFlush = false

    init(limits: LoadingRequestServer.Limits, medium: SimulatedMedium) {
        self.limits = limits
        self.medium = medium
    }

    mutating func violate(_ rule: Violation.Rule, _ details: String) {
        self.violations.append(Violation(rule, details))
    }

    // MARK: Events

    /// The server is about to receive an event.
    mutating func tells(_ event: LoadingRequestServer.Event) {
        self.mayFlush = false
        switch event {
        case .requested(let request): self.requested(request)
        case .cancelled(let id): self.lives.removeAll { $0.id == id }
        case .released(let id, let count):
            guard let index = self.index(of: id) else { return }
            self.lives[index].outstanding -= Int64(count)
            self.lives[index].mayBeSated = false
        case .opened(let id, _, _):
            if self.reading(id) != nil { self.isDescribed = true }
        case .arrived(let id, let bytes): self.arrived(id, bytes.count)
        case .ended(let id):
            self.mayFlush = true
            self.close(id)
        case .failed(let id, let error):
            self.mayFlush = true
            if error.code == .changed, self.reading(id) != nil { self.hasChanged = true }
            self.close(id)
        case .waited(let id): self.waited(id)
        case .abandoned: self.isAbandoned = true
        case .prepared, .held: break
        }
    }

    mutating func requested(_ request: LoadingRequestServer.Request) {
        self.lives.append(
            Live(
                id: request.id,
                bytes: request.bytes,
                isInformed: !request.wantsInformation,
                position: request.bytes?.offset ?? 0
            )
        )
    }

    mutating func arrived(_ id: ReadID, _ count: Int) {
        guard let index = self.readings.firstIndex(where: { $0.id == id }) else { return }
        let start = self.readings[index].position
        let end = start + Int64(count)
        self.readings[index].position = end
        self.readings[index].isPulled = false
        var beyond = Int64(count)
        if self.readings[index].start == 0 {
            let kept = min(end, Int64(self.limits.head))
            beyond = min(beyond, max(0, end - Int64(self.limits.head)))
            self.headCount = max(self.headCount, kept)
        }
        self.arrivedBeyondHead += beyond
    }

    mutating func waited(_ id: WaitID) {
        switch self.waits.removeValue(forKey: id) {
        case self.limits.gathering?: self.mayFlush = true
        case self.limits.patience?:
            self.patienceSpent += 1
            for index in self.lives.indices where self.lives[index].outstanding > 0 {
                self.lives[index].mayBeSated = true
            }
        default: break
        }
    }

    // MARK: Lists

    func index(of id: RequestID) -> Int? { self.lives.firstIndex { $0.id == id } }

    func reading(_ id: ReadID) -> Reading? { self.readings.first { $0.id == id } }

    mutating func close(_ id: ReadID) {
        guard let index = self.readings.firstIndex(where: { $0.id == id }) else { return }
        self.stops.insert(self.readings[index].position)
        self.readings.remove(at: index)
        self.gone += 1
    }
}

extension EffectAudit {
    /// The server has returned an effect.
    mutating func wants(_ effect: LoadingRequestServer.Effect) {
        switch effect {
        case .read(let id, let demand): self.read(id, demand)
        case .pull(let id, let count): self.pull(id, count)
        case .drop(let id): self.close(id)
        case .fill(let id, _):
            self.mustNotHaveChanged("information")
            if let index = self.index(of: id) { self.lives[index].isInformed = true }
        case .respond(let id, let bytes): self.respond(id, bytes.count)
        case .finish(let id):
            self.mustNotHaveChanged("a finish")
            self.lives.removeAll { $0.id == id }
        case .fail(let id, _): self.lives.removeAll { $0.id == id }
        case .wait(let id, let duration):
            self.mustNotBeAbandoned("wait")
            self.waits[id] = duration
        case .tell(.loadedWhole):
            if self.hasToldWhole { self.violate(.toldOnce, "loaded whole, again") }
            self.hasToldWhole = true
        case .tell: break
        }
    }

    mutating func read(_ id: ReadID, _ demand: ReadDemand) {
        self.mustNotBeAbandoned("reading")
        if self.isDescribed, demand.version == nil { self.violate(.pinned, "read \(demand.range)") }
        let start = demand.range.knownLowerBound ?? -1
        let isForHead = start == 0 && self.headCount == 0
        let isMissing = self.lives.contains { live in
            live.needs(start, within: self.limits.largestPiece)
                && (live.position == start || self.stops.contains(start))
        }
        if !isForHead, !isMissing || start < self.headCount {
            self.violate(.readsWhatIsMissing, "read \(demand.range)")
        }
        self.readings.append(Reading(id: id, start: start, position: start))
    }

    mutating func pull(_ id: ReadID, _ count: Int) {
        guard let index = self.readings.firstIndex(where: { $0.id == id }) else {
            return self.violate(.pullSize, "pulled \(id.rawValue), which is not open")
        }
        if count < 1 || count > max(self.limits.largestPiece, self.limits.head) {
            self.violate(.pullSize, "pulled \(count) bytes")
        }
        if self.readings[index].isPulled {
            self.violate(.pullSize, "pulled \(id.rawValue) before it answered")
        }
        self.readings[index].isPulled = true
        self.judgeOrder(of: self.readings[index])
    }

    mutating func respond(_ id: RequestID, _ count: Int) {
        self.mustNotHaveChanged("bytes")
        guard let index = self.index(of: id) else { return }
        let live = self.lives[index]
        let end = live.position + Int64(count)
        let isLast = self.medium.versions.contains {
            live.bytes?.limit(inLength: $0.length) == end
        }
        let isOfHead = live.position < max(self.headCount, 1)
        if count < self.limits.smallestPiece, live.given > 0, !isLast, !isOfHead,
            !self.mayFlush
        {
            self.violate(
                .noSmallPieces,
                "\(count) bytes at \(live.position) of request \(id.rawValue)"
            )
        }
        if live.position >= self.headCount { self.givenBeyondHead += Int64(count) }
        self.lives[index].position = end
        self.lives[index].given += Int64(count)
        self.lives[index].outstanding += Int64(count)
        let piece = Int64(self.limits.largestPiece)
        let beyond = min(self.patienceSpent * piece, self.limits.ceiling + piece)
        let bound = self.limits.window + beyond
        if self.lives[index].outstanding > bound {
            self.violate(
                .window,
                "request \(id.rawValue) holds \(self.lives[index].outstanding) of \(bound) bytes"
            )
        }
        let all = self.lives.reduce(0) { $0 + $1.outstanding }
        let most = self.limits.ceiling + piece + Int64(self.lives.count) * self.limits.window
        if all > most { self.violate(.window, "all requests hold \(all) of \(most) bytes") }
    }

    /// All effects of the server have been performed.
    mutating func settled(held: Int) {
        let most = self.limits.head + self.lives.count * self.limits.largestPiece
        if held > most { self.violate(.memory, "\(held) of \(most) bytes are held") }
        let pending = Int64(self.lives.count * self.limits.largestPiece)
        let lost = Int64((self.gone + 1) * self.limits.largestPiece)
        if self.arrivedBeyondHead > self.givenBeyondHead + pending + lost {
            self.violate(
                .readsInMeasure,
                "\(self.arrivedBeyondHead) bytes came for \(self.givenBeyondHead) that were wanted"
            )
        }
        if self.readings.count > self.lives.count + 1 {
            self.violate(.dropsReadings, "\(self.readings.count) for \(self.lives.count) requests")
        }
        for reading in self.readings where !self.isNeeded(reading) {
            self.violate(.dropsReadings, "one at \(reading.position) is open for no request")
        }
        if self.isAbandoned, !self.readings.isEmpty || !self.lives.isEmpty {
            self.violate(.leavesNothing, "readings or requests remain")
        }
    }

    /// Nothing is in progress any more.
    mutating func rested() {
        if !self.readings.isEmpty, self.lives.isEmpty {
            self.violate(.dropsReadings, "readings remain when everything rests")
        }
    }

    func isNeeded(_ reading: Reading) -> Bool {
        let isHead = reading.start == 0 && reading.position <= Int64(self.limits.head)
        return isHead
            || self.lives.contains { $0.bytes != nil && $0.position <= reading.position }
    }

    /// An older request to the end must not get bytes before a newer one has a lead.
    mutating func judgeOrder(of reading: Reading) {
        let isHead = reading.start == 0 && reading.position < Int64(self.limits.head)
        guard !isHead else { return }
        var leader: RequestID?
        var hasNewest = false
        var others = false
        var held: RequestID?
        for live in self.lives.reversed() {
            let needs = live.needs(reading.position, within: self.limits.largestPiece)
            if needs, leader == nil || live.bytes?.toTheEnd != true { others = true }
            if needs, leader != nil { held = live.id }
            if live.bytes?.toTheEnd == true, live.isInformed, !hasNewest {
                hasNewest = true
                if !live.mayBeSated, live.given < self.limits.lead { leader = live.id }
            }
        }
        guard let leader, let held, !others else { return }
        self.violate(.newestFirst, "request \(held.rawValue) goes on before \(leader.rawValue)")
    }

    mutating func mustNotHaveChanged(_ what: String) {
        if self.hasChanged { self.violate(.nothingAfterChange, "there was \(what)") }
    }

    mutating func mustNotBeAbandoned(_ what: String) {
        if self.isAbandoned { self.violate(.leavesNothing, "a \(what) was begun") }
    }
}
