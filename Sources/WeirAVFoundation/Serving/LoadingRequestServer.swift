// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Answers the loading requests of one asset: the decisions, without a clock, a task, or an Apple framework.
///
/// Events go in (past tense), effects come out (imperative). What it promises of every request:
///
/// - A player that wants to know what the resource is is told so once, before its first byte: the length of the whole
///   resource, and a type that it takes.
/// - Bytes come in order and without gaps from the offset that was asked for, and none past what was asked for; all of
///   them up to the end of the resource where that was asked for. Pieces are handed over as they come, of
///   ``Limits/largestPiece`` at most.
/// - A request ends once: finished when it has got everything, failed otherwise. A source that ends early is a failure;
///   the media system takes a request that is finished early for a shorter resource. Nothing follows a cancellation.
/// - What the player has not let go of is bounded: by ``Limits/window`` for each request, and for all of them together
///   by ``Limits/ceiling`` beyond that.
/// - The newest request to the end of the resource goes first: older ones wait, without a reading, until it has got
///   ``Limits/lead`` bytes, or ended, or the player keeps what it has. Then they go on beside it, by
///   ``Limits/overtakenWindow``. They are not ended, since they may still be wanted.
/// - The first bytes are read for all requests that start in them, and the reading goes on with the first that wants
///   more.
/// - All bytes are of one version. When the origin has another one, every request fails, now and later: what a player
///   was told of a resource is kept for as long as its asset lives.
public struct LoadingRequestServer: Sendable {
    /// The numbers that it goes by.
    public let limits: Limits
    /// What the resource is, once a reading has told.
    public internal(set) var description: ResourceDescription?

    /// The requests that have not ended, the newest last.
    var requests: [Live] = []
    /// The readings that have not ended.
    var reads: [Read] = []
    var head = Head()
    /// Why nothing is answered any more.
    var closing: LoadingFailure?
    /// Which bytes the player has been given.
    var given = RangeSet<Int64>()
    /// Whether every byte is held close by.
    var isEntirelyHeld = false
    var hasToldWhole = false
    var lastRead = 0
    var lastWait = 0
    var effects: [Effect] = []

    /// A server that nothing has happened to.
    public init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many bytes wait here to be handed over, those of the start that are kept included.
    public var heldCount: Int {
        self.requests.reduce(Int(self.head.count)) { $0 + $1.gatheredCount }
    }

    /// Whether nothing is answered any more: the asset has gone, or the source has another version.
    public var isClosed: Bool { self.closing != nil }

    /// How many requests have not ended.
    public var requestCount: Int { self.requests.count }

    /// Takes in what happened, and says what is to be done.
    public mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .prepared: self.prepared()
        case .requested(let request): self.requested(request)
        case .cancelled(let id): self.cancelled(id)
        case .released(let id, let count): self.released(id, count)
        case .opened(let id, let opening): self.opened(id, opening)
        case .arrived(let id, let bytes): self.arrived(id, bytes)
        case .ended(let id): self.ended(id)
        case .failed(let id, let error): self.failed(id, error)
        case .waited(let id): self.waited(id)
        case .held(let availability): self.held(availability)
        case .abandoned: self.close(.cancelled)
        }
        self.replan()
        defer { self.effects.removeAll() }
        return self.effects
    }

    // MARK: What the player does

    private mutating func prepared() {
        guard self.closing == nil, self.head.read == nil, self.head.count == 0 else { return }
        self.readHead()
    }

    private mutating func requested(_ request: Request) {
        guard !self.requests.contains(where: { $0.id == request.id }) else { return }
        if let closing {
            self.effects.append(.fail(request.id, closing))
            return
        }
        if self.requests.count >= self.limits.requests {
            let oldest = self.requests.first { $0.goesToTheEnd && $0.isInformed }
            if let oldest = oldest ?? self.requests.first { self.fail(oldest.id, .cancelled) }
        }
        self.requests.append(Live(request, isInformed: !request.wantsInformation))
    }

    private mutating func cancelled(_ id: RequestID) {
        self.remove(id)
    }

    private mutating func released(_ id: RequestID, _ count: Int) {
        guard let index = self.requests.firstIndex(where: { $0.id == id }) else { return }
        self.requests[index].outstanding = max(
            0,
            self.requests[index].outstanding - Int64(max(0, count))
        )
        self.requests[index].isSated = false
        if self.requests[index].outstanding < self.limits.window {
            self.requests[index].allowance = 0
            // A wait that is under way was for what it has let go of since.
            self.requests[index].patience = nil
        }
    }

    // MARK: What the source does

    private mutating func opened(_ id: ReadID, _ opening: Opening) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        if let known = self.description, !known.pin.agrees(with: opening.description) {
            return self.close(.source(.changedInPlay))
        }
        guard opening.lowerBound == self.reads[index].position else {
            self.effects.append(.drop(id))
            return self.failed(id, .startedElsewhere(opening.lowerBound))
        }
        if self.description == nil {
            self.description = opening.description
        } else if let length = opening.description.length {
            self.learn(length: length)
        }
    }

    private mutating func arrived(_ id: ReadID, _ bytes: ByteMemory) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        self.reads[index].isPulled = false
        self.reads[index].position += Int64(bytes.count)
        switch self.reads[index].owner {
        case .head:
            // A copy: the bytes may be a part of something large, and they are kept for as long as the asset lives.
            self.head.pieces.append(ByteMemory(bytes.withUnsafeBytes { Array($0) }))
            self.head.count += Int64(bytes.count)
        case .request(let request):
            guard let live = self.requests.firstIndex(where: { $0.id == request }) else { return }
            self.requests[live].gathered.append(bytes)
            self.requests[live].gatheredCount += bytes.count
        }
    }

    private mutating func ended(_ id: ReadID) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        let read = self.reads.remove(at: index)
        if self.head.read == id { self.head.read = nil }
        var asked: Int64?
        if case .request(let request) = read.owner {
            self.change(request) { $0.read = nil }
            asked = self.live(request)?.request.bytes?.end(inLength: nil)
        }
        if let length = self.description?.length {
            let end = min(asked ?? length, length)
            if read.position < end {
                self.lost(read, .endedEarly(position: read.position, end: end))
            }
        } else if read.position < asked ?? .max {
            self.learn(length: read.position)
        }
    }

    private mutating func failed(_ id: ReadID, _ error: SourceError) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        if error.code == .changed { return self.close(.source(error)) }
        let read = self.reads.remove(at: index)
        if self.head.read == id { self.head.read = nil }
        if error.code == .rangeNotSatisfiable, self.description?.length == nil,
            case .request(let request) = read.owner
        {
            self.change(request) { live in
                live.read = nil
                live.startsBehindTheEnd = true
            }
            return
        }
        self.lost(read, .source(error))
    }

    private mutating func held(_ availability: Availability) {
        self.isEntirelyHeld = availability.isComplete
        if availability.isComplete { self.tellWhole() }
    }
}

extension SourceError {
    fileprivate static let changedInPlay = SourceError(
        .changed,
        "The medium is no longer the one that was being played; play it again to get the new one."
    )

    fileprivate static func startedElsewhere(_ offset: Int64) -> SourceError {
        SourceError(
            .badAnswer,
            "A source started to read at byte \(offset), which is not where it was asked to; report this."
        )
    }
}
