// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

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
package struct LoadingRequestServer: Sendable {
    /// The numbers that it goes by.
    package let limits: Limits
    /// What the resource is, once a reading has told.
    package internal(set) var description: ResourceDescription?

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
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many bytes wait here to be handed over, those of the start that are kept included.
    package var heldCount: Int {
        self.requests.reduce(Int(self.head.count)) { $0 + $1.gatheredCount }
    }

    /// Whether nothing is answered any more: the asset has gone, or the source has another version.
    package var isClosed: Bool { self.closing != nil }

    /// How many requests have not ended.
    package var requestCount: Int { self.requests.count }

    /// Takes in what happened, and says what is to be done.
    package mutating func handle(_ event: Event) -> [Effect] {
        switch event {
        case .prepared: self.prepared()
        case .requested(let request): self.requested(request)
        case .cancelled(let id): self.cancelled(id)
        case .released(let id, let count): self.released(id, count)
        case .opened(let id, let description, let lowerBound):
            self.opened(id, description, at: lowerBound)
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

    private mutating func opened(
        _ id: ReadID,
        _ description: ResourceDescription,
        at lowerBound: Int64
    ) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        if let known = self.description, !known.version.agrees(with: description) {
            return self.close(.source(.changedInPlay))
        }
        guard lowerBound == self.reads[index].position else {
            self.effects.append(.drop(id))
            return self.failed(id, .startedElsewhere(lowerBound))
        }
        if self.description == nil {
            self.description = description
        } else if let length = description.length {
            self.learn(length: length)
        }
    }

    private mutating func arrived(_ id: ReadID, _ bytes: ByteMemory) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        self.reads[index].isPulled = false
        self.reads[index].position += Int64(bytes.count)
        guard let request = self.reads[index].request else {
            // A copy: the bytes may be a part of something large, and they are kept for as long as the asset lives.
            self.head.pieces.append(ByteMemory(bytes.withUnsafeBytes { Array($0) }))
            self.head.count += Int64(bytes.count)
            return
        }
        guard let live = self.requests.firstIndex(where: { $0.id == request }) else { return }
        self.requests[live].gathered.append(bytes)
        self.requests[live].gatheredCount += bytes.count
    }

    private mutating func ended(_ id: ReadID) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        let read = self.reads.remove(at: index)
        if self.head.read == id { self.head.read = nil }
        var asked: Int64?
        if let request = read.request {
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
            let request = read.request
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

extension LoadingRequestServer {
    /// What happened.
    package enum Event: Sendable {
        /// The first bytes will be wanted: read them, so that length and type are known.
        case prepared
        /// The player made a request.
        case requested(Request)
        /// The player cancelled one.
        case cancelled(RequestID)
        /// The player let go of bytes that it had been given, this many.
        case released(RequestID, Int)
        /// A reading was opened; `lowerBound` is the first byte that will come.
        case opened(ReadID, ResourceDescription, lowerBound: Int64)
        /// Bytes came, as many as were pulled or fewer, never none.
        case arrived(ReadID, ByteMemory)
        /// A reading came to its end.
        case ended(ReadID)
        /// A reading failed.
        case failed(ReadID, SourceError)
        /// A wait is over.
        case waited(WaitID)
        /// The source holds these bytes close by.
        case held(Availability)
        /// The asset has gone; no request follows.
        case abandoned
    }

    /// What is to be done, in this order.
    package enum Effect: Sendable {
        /// Opens a reading of the source.
        case read(ReadID, ReadDemand)
        /// Asks a reading, once it is open, for its next bytes, this many or fewer.
        case pull(ReadID, atMost: Int)
        /// Ends a reading; nothing that it brings is wanted.
        case drop(ReadID)
        /// Tells the player what the resource is.
        case fill(RequestID, ContentInformation)
        /// Hands the player the next bytes of a request.
        case respond(RequestID, ByteMemory)
        /// Ends a request that has got everything.
        case finish(RequestID)
        /// Ends a request that cannot get everything.
        case fail(RequestID, LoadingFailure)
        /// Waits.
        case wait(WaitID, Duration)
        /// Tells the application.
        case tell(MediaAssetEvent)
    }

    /// Tells one loading request from another, however equal what they ask for is.
    package struct RequestID: Hashable, Sendable {
        /// The number of the request among those of its asset.
        package let rawValue: Int

        /// Takes a number.
        package init(_ rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    /// Tells one reading of the source from another.
    package struct ReadID: Hashable, Sendable {
        /// The number of the reading among those of its asset.
        package let rawValue: Int
    }

    /// Tells one wait from another.
    package struct WaitID: Hashable, Sendable {
        /// The number of the wait among those of its asset.
        package let rawValue: Int
    }

    /// The numbers that a server goes by.
    package struct Limits: Hashable, Sendable {
        /// The most bytes that are handed over at once, 512 KiB: the media system keeps a piece until it has used all
        /// of it.
        package var largestPiece = 512 << 10
        /// The fewest bytes that are handed over at once, 64 KiB, but for the first piece of a request, its last, what
        /// came less than that within ``gathering``, and the first bytes of the resource, which are not gathered.
        package var smallestPiece = 64 << 10
        /// How long bytes that came wait for more of them: 20 ms.
        package var gathering = Duration.milliseconds(20)
        /// How many bytes a request is given that the player has not let go of: 16 MiB.
        package var window: Int64 = 16 << 20
        /// How long the player may keep a full ``window`` until it is given another piece all the same: 50 ms.
        ///
        /// Nothing tells for certain that a player has used what it was given. One that keeps everything still gets
        /// 10 MiB a second, up to ``ceiling``.
        package var patience = Duration.milliseconds(50)
        /// How many bytes all requests together are given that the player has not let go of, beyond their windows:
        /// 128 MiB.
        package var ceiling: Int64 = 128 << 20
        /// How many bytes of the start are kept for as long as the asset lives: 64 KiB.
        ///
        /// Every player asks for the first bytes more than once.
        package var head = 64 << 10
        /// How long the reading of the first bytes waits for a request that goes on with it: 10 s.
        package var headPatience = Duration.seconds(10)
        /// How many bytes the newest request to the end of the resource is given before older ones go on: 2 MiB.
        package var lead: Int64 = 2 << 20
        /// The window of a request to the end while there is a newer one: 1 MiB.
        ///
        /// It gets no more for patience: a player that wants it lets go of what it has used.
        package var overtakenWindow: Int64 = 1 << 20
        /// How many requests are answered at the same time; the oldest is ended for the one too many.
        package var requests = 16

        /// The usual numbers.
        package init() {}
    }

    /// A loading request, as the player made it.
    package struct Request: Hashable, Sendable {
        /// Which bytes are wanted.
        package struct Bytes: Hashable, Sendable {
            /// The first byte, 0 or more.
            package var offset: Int64
            /// How many; `Int64.max` where the player does not know the end.
            package var length: Int64
            /// Whether all bytes up to the end of the resource are wanted, whatever ``length`` says.
            package var toTheEnd: Bool

            /// Describes bytes.
            package init(offset: Int64, length: Int64, toTheEnd: Bool) {
                // Behind the end of the largest resource there are no bytes, wherever that is.
                self.offset = min(max(0, offset), ResourceLength.maximum)
                self.length = max(0, length)
                self.toTheEnd = toTheEnd
            }

            /// The byte after the last.
            ///
            /// - Parameter total: the length of the resource; `nil` while it is unknown.
            /// - Returns: `nil` if only the end of the resource will tell.
            func end(inLength total: Int64?) -> Int64? {
                let (asked, overflow) = self.offset.addingReportingOverflow(self.length)
                if self.toTheEnd || overflow || self.length == .max { return total }
                return min(asked, total ?? asked)
            }
        }

        /// Which request it is.
        package var id: RequestID
        /// Whether the player wants to know what the resource is.
        package var wantsInformation: Bool
        /// The type identifiers that it takes; `nil` or empty for all.
        package var allowedTypes: [String]?
        /// The bytes; `nil` for information alone.
        package var bytes: Bytes?

        /// Describes a request.
        package init(
            id: RequestID,
            wantsInformation: Bool,
            allowedTypes: [String]? = nil,
            bytes: Bytes?
        ) {
            self.id = id
            self.wantsInformation = wantsInformation
            self.allowedTypes = allowedTypes
            self.bytes = bytes
        }
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
