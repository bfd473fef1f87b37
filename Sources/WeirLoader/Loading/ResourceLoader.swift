// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// The cold path of one resource: asks the plan, and carries out its effects.
///
/// An actor: events come one at a time. Effects that only change state run on the actor; requests
/// run in their own tasks. Readers wait on this actor, each for its next byte. The warm path does
/// not use it.
actor ResourceLoader {
    let key: ResourceKey
    let origin: any ByteSource
    let cache: Cache
    let policy: LoadPolicy
    let clock: any Clock<Duration>
    let observer: SourceObserver?
    let current: CurrentGeneration

    var plan: FetchPlan
    /// The description, from the cache or the first response since the loader was last idle.
    var description: ResourceDescription?
    /// The generation to write to; `nil` before the first response and after a failure of the
    /// cache.
    var generation: Generation?
    /// The reason why bytes are not kept at present.
    var degradation: SourceError?
    var readers: [DemandID: Reader] = [:]
    /// How many readers continue without the loader.
    var detachedCount = 0
    /// A generation without a validator, while it has no reader.
    ///
    /// The cache keeps it while this loader lives, if there is room.
    private var resting: Generation?
    var fetches: [FetchID: Fetch] = [:]
    /// The running question to the origin.
    var confirmation: Confirmation?
    /// The number of the newest call that waits for the answer.
    var lastWaiter = 0
    var isClosed = false
    /// The reason why no cached byte is handed out: the origin has denied the resource.
    var refusal: SourceError?
    /// Whether the user was told that the origin forbids storing the resource.
    var hasToldForbidden = false
    /// Whether the user was told that the origin denies the resource.
    var hasToldRefusal = false
    /// Whether the origin's last response showed that it has no ranges.
    var ignoresRanges = false
    /// The unproven end of a generation of unknown length.
    ///
    /// The loader requests no bytes behind this end again, and does not report it to readers as a
    /// length.
    var presumedEnd: (generation: GenerationID, offset: Int64)?
    private var lastDemand = 0

    init(
        key: ResourceKey,
        origin: any ByteSource,
        cache: Cache,
        policy: LoadPolicy,
        clock: any Clock<Duration>,
        observer: SourceObserver?,
        current: CurrentGeneration
    ) {
        self.key = key
        self.origin = origin
        self.cache = cache
        self.policy = policy
        self.clock = clock
        self.observer = observer
        self.current = current
        self.plan = FetchPlan(policy: policy)
    }

    // MARK: Readers

    /// Adds a reader; the caller must end it with ``depart(_:)``.
    ///
    /// - Parameters:
    ///   - range: the requested range.
    ///   - filling: set if it fetches only to keep the resource; `nil` for a reader.
    /// - Returns: its identifier in the plan.
    /// - Throws: `SourceError` with `closed`.
    func enter(_ range: RequestedRange, filling: Filling? = nil) throws -> DemandID {
        guard !self.isClosed else { throw ResourceLoader.closedError }
        self.adopt()
        self.lastDemand += 1
        let id = DemandID(rawValue: self.lastDemand)
        self.readers[id] = Reader(request: range, generation: self.generation, filling: filling)
        // Without a cache, each reader makes its own request.
        if self.degradation == nil {
            self.noteWritten(before: range.knownLowerBound)
            self.perform(self.plan.demanded(id, range, isBackground: filling != nil))
        }
        return id
    }

    /// Reports bytes to the plan that are written but not reported yet.
    ///
    /// A reader that got the bytes before `start` from the disk may continue at `start`. The plan
    /// then lets it wait for the running fetch, and opens no other.
    private func noteWritten(before start: Int64?) {
        guard let start, let generation else { return }
        for fetch in self.plan.fetches where fetch.claims(start) {
            guard let position = fetch.position, position < start,
                generation.holds(position..<start)
            else { continue }
            self.perform(self.plan.arrived(fetch.id, upTo: start))
        }
    }

    /// The generation that the cache holds, if any; adds no reader.
    func adoptedGeneration() throws -> Generation? {
        guard !self.isClosed else { throw ResourceLoader.closedError }
        self.adopt()
        let generation = self.generation
        self.settle()
        return generation
    }

    /// The resource's description for a reader; waits until it is known.
    ///
    /// - Returns: `nil` if bytes cannot be kept, and no description is known; ask the origin then.
    func description(for id: DemandID) async throws -> ResourceDescription? {
        while true {
            try Task.checkCancellation()
            guard let reader = self.readers[id] else { throw CancellationError() }
            // If the origin is unreachable, the cached description still holds.
            if let failure = reader.failure,
                self.description == nil || (failure as? SourceError)?.code == .changed
            {
                throw failure
            }
            if let detachment = reader.detachment { return detachment.description }
            if self.description != nil || self.degradation != nil { return self.description }
            await self.wait(id)
        }
    }

    /// Waits for the next piece of a reader that has taken all bytes before `position`.
    ///
    /// For a reader that has taken no byte yet, the start of the response may be enough; see
    /// ``isComing(_:to:_:)``. A reader with few held bytes also waits for that; see
    /// ``awaitsAnswer(_:_:)``.
    func pull(_ id: DemandID, at position: Int64, isBeginning: Bool = false) async throws -> Pulled
    {
        self.perform(self.plan.advanced(id, to: position))
        while true {
            try Task.checkCancellation()
            guard let reader = self.readers[id] else { throw CancellationError() }
            let length =
                reader.generation?.description.length ?? self.plan.length
                ?? self.description?.length
            let end = reader.end(inLength: length) ?? .max
            if position >= end { return .end }
            if isBeginning, try self.awaitsAnswer(id, position..<end) {
                await self.wait(id)
                continue
            }
            let limit = min(end, position.addingClamped(self.policy.maximumChunk))
            let isReadable = reader.detachment.map { $0.lease != nil } ?? true
            if let generation = reader.generation, isReadable,
                generation.holds(position..<position + 1)
            {
                return .held(generation, before: limit)
            }
            if let detachment = reader.detachment {
                return self.rest(from: position, to: end, of: detachment.description, reader)
            }
            self.reconcile(at: position, for: reader)
            if let failure = reader.failure { throw failure }
            if self.degradation != nil, let description = self.description {
                return self.rest(from: position, to: end, of: description, reader)
            }
            if isBeginning, self.isComing(position, to: id, reader) { return .coming }
            await self.wait(id)
        }
    }

    /// Whether the origin has just responded to this reader's request, with the version of the held
    /// bytes.
    ///
    /// If so, the reading can begin before its first byte is held. A player that seeks may keep its
    /// former connection until the reading begins, and data still arriving there competes with the
    /// new request.
    ///
    /// The response is not enough in two cases. The first bytes of a new version, or of one without
    /// a validator, may still show another resource. A response to another reader's request may
    /// have ended long ago, so that the byte must be requested again.
    private func isComing(_ position: Int64, to id: DemandID, _ reader: Reader) -> Bool {
        guard let generation = reader.generation, generation === self.generation,
            generation.heldByteCount > 0, generation.description.validator != nil,
            let fetch = self.plan.fetch(openedFor: id, bringing: position)
        else { return false }
        return self.fetches[fetch]?.reading != nil
    }

    /// Makes a reader read its missing bytes directly from the origin.
    private func rest(
        from position: Int64,
        to end: Int64,
        of description: ResourceDescription,
        _ reader: Reader
    ) -> Pulled {
        let range: RequestedRange = end == .max ? .from(position) : .span(position..<end)
        let isVouchedFor = self.overlap(of: description) == 0
        return .direct(
            ReadDemand(range, version: description.version),
            comparing: isVouchedFor ? nil : reader.generation
        )
    }

    /// Tells the plan of a damaged byte, which has become a hole.
    private func reconcile(at position: Int64, for reader: Reader) {
        guard let generation = self.generation, generation === reader.generation,
            self.plan.held.contains(position)
        else { return }
        let hole = generation.readable.hole(containing: position, before: .max)
        self.perform(self.plan.lost(hole ?? position..<position + 1))
    }

    /// Removes a reader.
    func depart(_ id: DemandID) {
        guard self.removeReader(id) else { return }
        self.perform(self.plan.departed(id))
        self.settle()
    }

    /// Removes a reader with its lease, so that bytes that only it can read are freed.
    ///
    /// - Returns: whether there was such a reader.
    private func removeReader(_ id: DemandID) -> Bool {
        guard var reader = self.readers.removeValue(forKey: id) else { return false }
        reader.wake()
        reader.beginning?.timer?.cancel()
        if reader.detachment != nil { self.detachedCount -= 1 }
        return true
    }

    /// Ends all readers with an error, and all requests.
    func close() {
        self.isClosed = true
        self.confirmation?.task?.cancel()
        self.failReaders(ResourceLoader.closedError, all: true)
        self.abandonFetches()
        // Release the generation now, not when the last reader notices: a release counts as a use,
        // and resources used after this one was closed must be newer. Each reader has its own
        // lease.
        if let generation = self.generation { self.leave(generation) }
        self.startOver()
        self.resting?.forget()
        self.resting = nil
    }

    private func wait(_ id: DemandID) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A cancellation before this line finds no continuation; this check sees it.
                if Task.isCancelled || self.readers[id] == nil {
                    continuation.resume()
                } else {
                    self.readers[id]?.waiter = continuation
                }
            }
        } onCancel: {
            // Owned by the waiting reader, which it wakes; ends after one visit to the actor.
            Task { await self.wake(id) }
        }
    }

    private func wake(_ id: DemandID) {
        self.readers[id]?.wake()
    }

    // MARK: The state between two idle times

    /// Opens the cached resource for the first reader.
    func adopt() {
        self.retireIfGone()
        if self.readers.count == self.detachedCount, self.fetches.isEmpty {
            self.degradation = nil
            // Without a generation, the description may be out of date.
            if self.generation == nil { self.description = nil }
        }
        guard self.generation == nil, self.fetches.isEmpty, self.degradation == nil else { return }
        do {
            guard let generation = try self.cache.open(self.key) else { return }
            self.startOver()
            self.use(generation)
            self.plan.adopted(
                held: generation.readable,
                length: generation.description.length ?? self.presumedEnd(of: generation),
                overlap: self.overlap(of: generation.description)
            )
        } catch {
            self.degrade(error)
        }
    }

    func use(_ generation: Generation) {
        self.generation = generation
        self.description = generation.description
        self.current.set(generation)
        // An earlier process may have asked recently.
        if !self.current.isConfirmed, let time = generation.timeSinceConfirmation {
            self.current.confirm(Stopwatch(self.clock, ago: time))
        }
    }

    private func presumedEnd(of generation: Generation) -> Int64? {
        guard let end = self.presumedEnd, end.generation == generation.id else { return nil }
        return generation.holds(0..<end.offset) ? end.offset : nil
    }

    func startOver() {
        self.plan = FetchPlan(policy: self.policy, lastFetch: self.plan.lastFetch)
        self.plan.ignoresRanges = self.ignoresRanges
    }

    /// How many bytes to compare where a continuation meets cached bytes without a validator (law
    /// 2).
    nonisolated func overlap(of description: ResourceDescription) -> Int64 {
        description.validator == nil && !self.policy.isImmutable ? JoiningWriter.comparedCount : 0
    }

    /// Releases the generation after the last reader and the last request, so that it can be
    /// evicted.
    ///
    /// The next reader opens it again. Without a validator, a release would remove the generation.
    /// So the cache keeps it while this loader lives, if its limits allow.
    func settle() {
        guard self.readers.count == self.detachedCount, self.fetches.isEmpty,
            self.confirmation == nil
        else { return }
        if let generation = self.generation { self.leave(generation) }
        self.startOver()
    }

    /// Releases the generation.
    func leave(_ generation: Generation) {
        let description = generation.description
        let isStored = description.validator != nil || self.policy.isImmutable
        let isBare = generation.heldByteCount == 0 && description.length != 0
        self.generation = nil
        self.description = nil
        guard generation.isCurrent else {
            generation.release()
            if self.current.holds(generation) { self.current.set(nil) }
            return
        }
        if self.resting !== generation {
            self.resting?.forget()
            self.resting = nil
        }
        if isStored || isBare || self.isClosed {
            generation.release()
            if isBare { self.forget() }
        } else {
            generation.releaseKeeping()
            self.resting = generation
        }
    }

    deinit {
        self.generation?.release()
        self.resting?.forget()
    }

    /// Continues without the cache, which cannot keep bytes (law 7).
    ///
    /// `isTold`: the cache has reported the failure to its observer already.
    func degrade(_ error: CacheError, isTold: Bool = false) {
        guard self.degradation == nil else { return }
        self.degradation = SourceError(.cacheFailed, error.message, cause: error)
        if !isTold, self.cache.degraded(error) {
            self.observer?(.cacheDegraded(reason: error.message))
        }
        self.abandonFetches()
        self.startOver()
        for id in self.readers.keys { self.readers[id]?.wake() }
    }

    /// Removes the resource from the cache; readers of held bytes keep them.
    ///
    /// Does not wait for the disk, whatever it does.
    func forget() {
        self.current.set(nil)
        do {
            try self.cache.discard(identifier: self.key.identifier)
        } catch {
            self.degrade(error)
        }
    }

    static let closedError = SourceError(
        .closed,
        "The resource was closed while it was being read; open it again to continue."
    )
}
