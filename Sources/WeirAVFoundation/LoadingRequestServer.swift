// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Answers the loading requests of one asset: the decisions, without a clock, a task, or an Apple
/// framework.
///
/// Events go in (past tense), effects come out (imperative). Its promises for every request:
///
/// - A player that asks for the description of the resource gets it once, before its first byte:
///   the length of the whole resource, and a type that the player accepts.
/// - Bytes come in order and without gaps from the requested offset, and none past the requested
///   end. A request to the end of the resource gets all bytes up to that end. Pieces are delivered
///   as they arrive, of ``Limits/largestPiece`` at most.
/// - A request ends once: finished when it has received everything, otherwise failed. A source that
///   ends early is a failure, because the media system assumes a shorter resource when a request
///   finishes early. Nothing follows a cancellation.
/// - The bytes that the player has not released are bounded: by ``Limits/window`` for each request.
///   A request may get more while the unreleased bytes of all requests together are below
///   ``Limits/ceiling``.
/// - The newest request to the end of the resource has priority. Older ones wait, without a
///   reading, until it has received ``Limits/lead`` bytes, or ended, or the player does not release
///   its bytes. Then they go on in parallel, with ``Limits/overtakenWindow``. The server does not
///   end them, since the player may still need them.
/// - The first bytes are read once for all requests that start in them. The first request that
///   needs more takes the reading over.
/// - All bytes are of one version. When the origin has another version, every request fails, now
///   and later: the player keeps the first description for as long as its asset lives.
package struct LoadingRequestServer: Sendable {
    /// The limits of the server.
    package let limits: Limits
    /// The description of the resource, once a reading has opened.
    package internal(set) var description: ResourceDescription?

    /// The requests that have not ended, the newest last.
    var requests: [Live] = []
    /// The readings that have not ended.
    var reads: [Read] = []
    var head = Head()
    /// Why the server answers no more requests.
    var closing: LoadingFailure?
    /// The ranges that were delivered to the player.
    var given = RangeSet<Int64>()
    /// Whether every byte is held locally.
    var isEntirelyHeld = false
    var hasToldWhole = false
    var lastRead = 0
    var lastWait = 0
    var effects: [Effect] = []

    /// Makes a server without requests.
    package init(limits: Limits = Limits()) {
        self.limits = limits
    }

    /// How many bytes the server keeps for delivery, including the stored first bytes.
    package var heldCount: Int {
        self.requests.reduce(Int(self.head.count)) { $0 + $1.gatheredCount }
    }

    /// Whether the server answers no more requests: the asset is deallocated, or the source has
    /// another version.
    package var isClosed: Bool { self.closing != nil }

    /// How many requests have not ended.
    package var requestCount: Int { self.requests.count }

    /// Handles an event, and returns the effects to perform.
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

    // MARK: Events of the player

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
            // The current wait was for bytes that the player has released since.
            self.requests[index].patience = nil
        }
    }

    // MARK: Events of the source

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
            // A copy: the bytes may be part of a large buffer, and they are kept for as long as the
            // asset lives.
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
    /// An event.
    package enum Event: Sendable {
        /// The first bytes will be needed: read them, so that length and type are known.
        case prepared
        /// The player made a request.
        case requested(Request)
        /// The player cancelled a request.
        case cancelled(RequestID)
        /// The player released this many of its bytes.
        case released(RequestID, Int)
        /// A reading was opened; `lowerBound` is its first byte.
        case opened(ReadID, ResourceDescription, lowerBound: Int64)
        /// Bytes arrived, as many as were pulled or fewer, never none.
        case arrived(ReadID, ByteMemory)
        /// A reading ended.
        case ended(ReadID)
        /// A reading failed.
        case failed(ReadID, SourceError)
        /// A wait is over.
        case waited(WaitID)
        /// The source holds these ranges locally.
        case held(Availability)
        /// The asset is deallocated; no request follows.
        case abandoned
    }

    /// An effect to perform, in order.
    package enum Effect: Sendable {
        /// Opens a reading of the source.
        case read(ReadID, ReadDemand)
        /// Requests the next bytes from a reading, once it is open, this many or fewer.
        case pull(ReadID, atMost: Int)
        /// Ends a reading, whose bytes are no longer needed.
        case drop(ReadID)
        /// Gives the player the description of the resource.
        case fill(RequestID, ContentInformation)
        /// Gives the player the next bytes of a request.
        case respond(RequestID, ByteMemory)
        /// Ends a request that has received everything.
        case finish(RequestID)
        /// Ends a request that cannot receive everything.
        case fail(RequestID, LoadingFailure)
        /// Waits.
        case wait(WaitID, Duration)
        /// Reports an event to the application.
        case tell(MediaAssetEvent)
    }

    /// Identifies a loading request, even among requests for the same bytes.
    package struct RequestID: Hashable, Sendable {
        /// The number of the request among the requests of its asset.
        package let rawValue: Int

        /// Takes a number.
        package init(_ rawValue: Int) {
            self.rawValue = rawValue
        }
    }

    /// Identifies a reading of the source.
    package struct ReadID: Hashable, Sendable {
        /// The number of the reading among the readings of its asset.
        package let rawValue: Int
    }

    /// Identifies a wait.
    package struct WaitID: Hashable, Sendable {
        /// The number of the wait among the waits of its asset.
        package let rawValue: Int
    }

    /// The limits of a server.
    package struct Limits: Hashable, Sendable {
        /// The most bytes in one delivery, 512 KiB.
        ///
        /// The media system keeps a piece until it has used all of it.
        package var largestPiece = 512 << 10
        /// The fewest bytes in one delivery, 64 KiB.
        ///
        /// A piece may be smaller if it is the first or the last of its request, or if too few
        /// bytes arrive within ``gathering``. The first bytes of the resource are not gathered.
        package var smallestPiece = 64 << 10
        /// How long received bytes wait for more: 20 ms.
        package var gathering = Duration.milliseconds(20)
        /// The most bytes of a request that the player has received and not released: 16 MiB.
        package var window: Int64 = 16 << 20
        /// How long the player may keep a full ``window`` before it gets another piece anyway: 50
        /// ms.
        ///
        /// The server cannot know for certain that a player has used its bytes. A player that keeps
        /// everything still gets 10 MiB a second, up to ``ceiling``.
        package var patience = Duration.milliseconds(50)
        /// The bytes of all requests together that the player has not released, above which no
        /// request gets more than its window: 128 MiB.
        package var ceiling: Int64 = 128 << 20
        /// How many of the first bytes the server keeps for as long as the asset lives: 64 KiB.
        ///
        /// Every player requests the first bytes more than once.
        package var head = 64 << 10
        /// How long the reading of the first bytes waits for a request that takes it over: 10 s.
        package var headPatience = Duration.seconds(10)
        /// How many bytes the newest request to the end of the resource gets before older ones go
        /// on: 2 MiB.
        package var lead: Int64 = 2 << 20
        /// The window of a request to the end while a newer one exists: 1 MiB.
        ///
        /// Patience does not increase it: a player that needs the bytes releases those that it has
        /// used.
        package var overtakenWindow: Int64 = 1 << 20
        /// The most open requests; a further request ends the oldest one to the end of the
        /// resource, or else the oldest.
        package var requests = 16

        /// The default limits.
        package init() {}
    }

    /// A loading request, as the player made it.
    package struct Request: Hashable, Sendable {
        /// The bytes of a request.
        package struct Bytes: Hashable, Sendable {
            /// The first byte, 0 or more.
            package var offset: Int64
            /// How many bytes; `Int64.max` if the player does not know the end.
            package var length: Int64
            /// Whether the request is for all bytes up to the end of the resource, whatever
            /// ``length`` says.
            package var toTheEnd: Bool

            /// Describes bytes.
            package init(offset: Int64, length: Int64, toTheEnd: Bool) {
                // No resource has bytes behind this offset.
                self.offset = min(max(0, offset), ResourceLength.maximum)
                self.length = max(0, length)
                self.toTheEnd = toTheEnd
            }

            /// The byte after the last.
            ///
            /// - Parameter total: the length of the resource; `nil` while it is unknown.
            /// - Returns: `nil` if the request goes to the end of the resource, and the length is
            ///   unknown.
            func end(inLength total: Int64?) -> Int64? {
                let (asked, overflow) = self.offset.addingReportingOverflow(self.length)
                if self.toTheEnd || overflow || self.length == .max { return total }
                return min(asked, total ?? asked)
            }
        }

        /// The identifier of the request.
        package var id: RequestID
        /// Whether the player asks for the description of the resource.
        package var wantsInformation: Bool
        /// The type identifiers that the player accepts; `nil` or empty for all.
        package var allowedTypes: [String]?
        /// The bytes; `nil` for a request for the description alone.
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
        "The medium changed while it was being played; play it again to get the new one."
    )

    fileprivate static func startedElsewhere(_ offset: Int64) -> SourceError {
        SourceError(
            .badAnswer,
            "A source started to read at byte \(offset) instead of the requested byte; please report this."
        )
    }
}
