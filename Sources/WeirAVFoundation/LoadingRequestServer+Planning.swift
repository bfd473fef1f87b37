// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension LoadingRequestServer {
    /// Examines the whole state again and adds the necessary effects.
    mutating func replan() {
        guard self.closing == nil else { return }
        self.inform()
        for index in self.requests.indices { self.settleEnd(of: index) }
        for id in self.requests.map(\.id) { self.handOver(id) }
        /// The newest request to the end of the resource.
        var newest: Live?
        for id in self.requests.map(\.id).reversed() {
            guard let live = self.live(id) else { continue }
            guard live.goesToTheEnd, live.isInformed else {
                self.serve(id, isOvertaken: false)
                continue
            }
            if let newest {
                if !newest.isSated, newest.given < self.limits.lead {
                    self.hold(id, behind: newest)
                } else {
                    self.serve(id, isOvertaken: true)
                }
                continue
            }
            self.serve(id, isOvertaken: false)
            newest = self.live(id)
        }
        self.tendHead()
    }

    /// Sends the description to the requests that ask for it.
    private mutating func inform() {
        guard let description else { return }
        for live in self.requests where !live.isInformed {
            do {
                let type = try UniformType.name(
                    of: description.mediaType,
                    outOf: live.request.allowedTypes
                )
                let information = ContentInformation(
                    type: type,
                    length: description.length,
                    isEntirelyAvailable: self.isEntirelyHeld
                )
                self.change(live.id) { $0.isInformed = true }
                self.effects.append(.fill(live.id, information))
            } catch {
                self.fail(live.id, error)
            }
        }
    }

    /// Determines the end of a request, if it is known.
    mutating func settleEnd(of index: Int) {
        self.requests[index].end = self.requests[index].request.bytes?.end(
            inLength: self.description?.length
        )
    }

    /// Makes a request wait for a newer one; ends its reading unless the newer request is almost
    /// complete.
    private mutating func hold(_ id: RequestID, behind leader: Live) {
        guard leader.remaining > Int64(self.limits.largestPiece) else { return }
        self.dropRead(of: id)
    }

    /// Gets the next bytes for a request.
    private mutating func serve(_ id: RequestID, isOvertaken: Bool) {
        guard let asked = self.live(id) else { return }
        if asked.startsBehindTheEnd, asked.isInformed { return self.finishAtTheEnd(id) }
        if asked.needsHeadAlone { return self.readHead() }
        self.handOverHead(id, isOvertaken: isOvertaken)
        guard let live = self.live(id), live.remaining > 0 else { return }
        let room = self.room(of: live, isOvertaken: isOvertaken)
        guard room > 0 else {
            if !isOvertaken { self.wait(for: live) }
            return
        }
        if live.read == nil, live.missing == self.head.count {
            if self.head.count == 0, self.head.read == nil { self.readHead() }
            if let read = self.head.read {
                if self.head.count < Int64(self.limits.head) { return self.pullHead() }
                self.adopt(read, for: id)
            }
        }
        self.pull(id, atMost: room)
    }

    /// How many bytes a request may get now; 0 if they are too few for a piece.
    func room(of live: Live, isOvertaken: Bool) -> Int {
        let window =
            isOvertaken ? self.limits.overtakenWindow : max(self.limits.window, live.allowance)
        let free = window - live.outstanding - Int64(live.gatheredCount)
        guard free >= min(Int64(self.limits.smallestPiece), live.remaining) else { return 0 }
        return Int(
            min(free, live.remaining, Int64(self.limits.largestPiece - live.gatheredCount))
        )
    }

    // MARK: Readings

    private mutating func pull(_ id: RequestID, atMost count: Int) {
        guard let live = self.live(id) else { return }
        let read: ReadID
        if let own = live.read {
            read = own
        } else {
            let range: RequestedRange
            if let end = live.end, live.request.bytes?.toTheEnd == false {
                range = .span(live.missing..<end)
            } else {
                range = .from(live.missing)
            }
            read = self.open(range, at: live.missing, for: id)
            self.change(id) { $0.read = read }
        }
        self.pull(read, atMost: count)
    }

    private mutating func pull(_ id: ReadID, atMost count: Int) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }),
            !self.reads[index].isPulled
        else { return }
        self.reads[index].isPulled = true
        self.effects.append(.pull(id, atMost: count))
    }

    private mutating func open(_ range: RequestedRange, at offset: Int64, for request: RequestID?)
        -> ReadID
    {
        self.lastRead += 1
        let id = ReadID(rawValue: self.lastRead)
        self.reads.append(Read(id: id, request: request, position: offset))
        self.effects.append(.read(id, ReadDemand(range, version: self.description?.version)))
        return id
    }

    /// Ends the reading of a request.
    mutating func dropRead(of id: RequestID) {
        guard let read = self.live(id)?.read else { return }
        self.change(id) { $0.read = nil }
        self.drop(read)
    }

    private mutating func drop(_ id: ReadID) {
        guard let index = self.reads.firstIndex(where: { $0.id == id }) else { return }
        self.reads.remove(at: index)
        self.effects.append(.drop(id))
    }

    // MARK: The first bytes

    /// Makes sure that the first bytes are being read.
    mutating func readHead() {
        guard self.head.count == 0 else { return }
        if self.head.read == nil {
            self.head.read = self.open(.from(0), at: 0, for: nil)
        }
        self.pullHead()
    }

    private mutating func pullHead() {
        guard let read = self.head.read else { return }
        self.head.patience = nil
        self.pull(read, atMost: max(1, self.limits.head - Int(self.head.count)))
    }

    /// Assigns the reading of the first bytes to one request.
    private mutating func adopt(_ read: ReadID, for id: RequestID) {
        guard let index = self.reads.firstIndex(where: { $0.id == read }) else { return }
        self.reads[index].request = id
        self.head.read = nil
        self.head.patience = nil
        self.change(id) { $0.read = read }
    }

    /// Limits how long a reading of the first bytes waits for a request that continues it.
    private mutating func tendHead() {
        guard let read = self.head.read, self.head.patience == nil,
            self.reads.contains(where: { $0.id == read && !$0.isPulled })
        else { return }
        self.head.patience = self.wait(self.limits.headPatience)
    }

    // MARK: Waiting

    private mutating func wait(for live: Live) {
        let kept = self.requests.reduce(0) { $0 + $1.outstanding }
        guard live.patience == nil, kept < self.limits.ceiling else { return }
        let wait = self.wait(self.limits.patience)
        self.change(live.id) { $0.patience = wait }
    }

    mutating func wait(_ duration: Duration) -> WaitID {
        self.lastWait += 1
        let id = WaitID(rawValue: self.lastWait)
        self.effects.append(.wait(id, duration))
        return id
    }

    /// A wait is over.
    mutating func waited(_ id: WaitID) {
        if self.head.patience == id {
            self.head.patience = nil
            guard let read = self.head.read else { return }
            self.head.read = nil
            return self.drop(read)
        }
        for live in self.requests {
            if live.gathering == id {
                self.change(live.id) { $0.gathering = nil }
                self.handOver(live.id, isFinal: true)
            } else if live.patience == id {
                // A newer request may have arrived meanwhile: then the older request gets no
                // allowance.
                let newest = self.requests.last { $0.goesToTheEnd && $0.isInformed }
                guard !live.goesToTheEnd || newest?.id == live.id else {
                    self.change(live.id) { $0.patience = nil }
                    continue
                }
                let allowance =
                    live.outstanding + Int64(live.gatheredCount + self.limits.largestPiece)
                self.change(live.id) { live in
                    live.patience = nil
                    live.isSated = true
                    live.allowance = allowance
                }
            }
        }
    }

    /// A reading of the source that has not ended.
    struct Read: Sendable {
        let id: ReadID
        /// The request that gets its bytes; `nil` for a reading of the first bytes, which all
        /// requests share.
        var request: RequestID?
        /// The next byte that it will deliver.
        var position: Int64
        /// Whether it has been pulled and has not delivered.
        var isPulled = false
    }

    /// The first bytes of the resource, which every player requests more than once.
    struct Head: Sendable {
        /// The bytes from 0 on, in the received pieces.
        var pieces: [ByteMemory] = []
        /// How many bytes ``pieces`` has.
        var count: Int64 = 0
        /// The reading of more first bytes, until a request takes it over.
        var read: ReadID?
        /// The wait for a request that takes over ``read``.
        var patience: WaitID?

        /// The bytes from an offset on, as far as one piece contains them.
        func bytes(from offset: Int64, atMost limit: Int) -> ByteMemory? {
            var start: Int64 = 0
            for piece in self.pieces {
                let end = start + Int64(piece.count)
                if offset < end {
                    let lower = Int(offset - start)
                    return piece[lower..<min(piece.count, lower + limit)]
                }
                start = end
            }
            return nil
        }
    }

    /// A request that has not ended.
    struct Live: Sendable {
        let request: Request
        /// Whether the player has the description of the resource, or did not ask for it.
        var isInformed: Bool
        /// The next byte to deliver to the player.
        var position: Int64
        /// The byte after the last; `nil` while it is unknown.
        var end: Int64?
        /// Bytes from ``position`` on that have arrived and are not yet delivered.
        var gathered: [ByteMemory] = []
        var gatheredCount = 0
        /// The wait for more gathered bytes.
        var gathering: WaitID?
        /// The reading of its bytes.
        var read: ReadID?
        /// Bytes that were delivered to the player, and that it has not released.
        var outstanding: Int64 = 0
        /// The limit of ``outstanding`` if it is higher than the window, because the player does
        /// not release bytes.
        var allowance: Int64 = 0
        /// The wait for the player to release bytes.
        var patience: WaitID?
        /// Whether the player has kept a full window for longer than one wait.
        var isSated = false

        /// Whether the source has no byte at the request's start: once the player has the
        /// description, the request finishes without bytes.
        var startsBehindTheEnd = false

        init(_ request: Request, isInformed: Bool) {
            self.request = request
            self.isInformed = isInformed
            self.position = request.bytes?.offset ?? 0
        }

        var id: RequestID { self.request.id }

        /// The next byte that has not arrived.
        var missing: Int64 { self.position + Int64(self.gatheredCount) }

        /// How many bytes were delivered to the player.
        var given: Int64 { self.position - (self.request.bytes?.offset ?? 0) }

        /// Whether the request is for everything up to the end of the resource.
        var goesToTheEnd: Bool { self.request.bytes?.toTheEnd ?? false }

        /// Whether it needs only the description, which comes with the first bytes.
        var needsHeadAlone: Bool {
            self.request.bytes == nil || self.startsBehindTheEnd
                || (!self.isInformed && self.remaining == 0)
        }

        /// How many bytes have not arrived; `Int64.max` while the end is unknown.
        var remaining: Int64 { self.end.map { max(0, $0 - self.missing) } ?? .max }
    }
}
