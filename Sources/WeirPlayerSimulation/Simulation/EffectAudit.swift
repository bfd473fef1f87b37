// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation
import WeirSource

/// Judges what a server asks of its source and how much it lets lie about: what a player cannot see.
///
/// It follows the effects of one asset, and knows nothing of how they came about.
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
        /// Whether the player may have kept so much for so long that others need not wait.
        var mayBeSated = false

        /// Whether a reading at a position may be for it.
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
    /// Where readings stopped that are no more.
    var stops: Set<Int64> = []
    var gone = 0
    var arrivedBeyondHead: Int64 = 0
    var givenBeyondHead: Int64 = 0
    /// What the server is being told.
    var event = Occasion.other

    /// Whether what was gathered may go out, however little it is.
    enum Occasion {
        case flush
        case other
    }

    init(limits: LoadingRequestServer.Limits, medium: SimulatedMedium) {
        self.limits = limits
        self.medium = medium
    }

    mutating func violate(_ rule: Violation.Rule, _ details: String) {
        self.violations.append(Violation(rule, details))
    }

    // MARK: Events

    /// The server is about to be told something.
    mutating func tells(_ event: LoadingRequestServer.Event) {
        self.event = .other
        switch event {
        case .requested(let request): self.requested(request)
        case .cancelled(let id): self.lives.removeAll { $0.id == id }
        case .released(let id, let count):
            guard let index = self.index(of: id) else { return }
            self.lives[index].outstanding -= Int64(count)
            self.lives[index].mayBeSated = false
        case .opened(let id, _):
            if self.reading(id) != nil { self.isDescribed = true }
        case .arrived(let id, let bytes): self.arrived(id, bytes.count)
        case .ended(let id):
            self.event = .flush
            self.close(id)
        case .failed(let id, let error):
            self.event = .flush
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
        case self.limits.gathering?: self.event = .flush
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
