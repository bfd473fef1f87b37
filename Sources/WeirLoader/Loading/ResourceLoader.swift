// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// The cold path of one resource: asks the plan, and does what it says.
///
/// An actor: events come one at a time, effects are carried out under its isolation as far as they are
/// bookkeeping, and in tasks of their own as far as they are requests. Readers wait here, each for its
/// next byte; the warm path never comes here.
actor ResourceLoader {
    let key: ResourceKey
    let origin: any ByteSource
    let cache: Cache
    let policy: LoadPolicy
    let clock: any Clock<Duration>
    let observer: SourceObserver?
    let current: CurrentGeneration

    var plan: FetchPlan
    /// What the resource is, from the cache or the first answer of this sitting.
    var description: ResourceDescription?
    /// Where the bytes go; `nil` before the first answer and when the cache has failed.
    var generation: Generation?
    /// Why bytes are not kept, while they are not.
    var degradation: SourceError?
    var readers: [DemandID: Reader] = [:]
    /// How many of them go on by themselves.
    var detachedCount = 0
    /// What no validator vouches for, while it has no reader: the cache keeps it for as long as this loader lives, if
    /// there is room.
    private var resting: Generation?
    var fetches: [FetchID: Fetch] = [:]
    /// The question to the origin that is under way.
    var confirmation: Confirmation?
    /// The number of the newest call that waits for its answer.
    var lastWaiter = 0
    var isClosed = false
    /// Why no cached byte is handed out: the origin has said that the resource is not to be had.
    var refusal: SourceError?
    /// Whether the user has heard that the origin forbids to store the resource.
    var hasToldForbidden = false
    /// Whether the user has heard that the origin no longer gives the resource.
    var hasToldRefusal = false
    /// Whether the origin has no ranges, as its last answer said.
    var ignoresRanges = false
    /// Where a generation of unknown length ended, though nothing proved it: it is not asked again behind it in this
    /// sitting, and no reader is told it as a length.
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

    /// Takes a reader in; it has to ``depart(_:)``.
    ///
    /// - Parameters:
    ///   - range: what it wants.
    ///   - filling: why it fetches, if that is only to keep the resource; `nil` for one that reads.
    /// - Returns: its name in the plan.
    /// - Throws: `SourceError` with `closed`.
    func enter(_ range: RequestedRange, filling: Filling? = nil) throws -> DemandID {
        guard !self.isClosed else { throw ResourceLoader.closedError }
        self.adopt()
        self.lastDemand += 1
        let id = DemandID(rawValue: self.lastDemand)
        self.readers[id] = Reader(request: range, generation: self.generation, filling: filling)
        // Without a cache each reader asks for itself.
        if self.degradation == nil {
            self.noteWritten(before: range.knownLowerBound)
            self.perform(self.plan.demanded(id, range, isBackground: filling != nil))
        }
        return id
    }

    /// Tells the plan of bytes that are written and not yet reported.
    ///
    /// A reader that was served from the disk up to there, and goes on, then waits for the fetch that brings the next byte.
    private func noteWritten(before start: Int64?) {
        guard let start, let generation else { return }
        for fetch in self.plan.fetches where fetch.claims(start) {
            guard let position = fetch.position, position < start,
                generation.holds(position..<start)
            else { continue }
            self.perform(self.plan.arrived(fetch.id, upTo: start))
        }
    }

    /// The generation that the cache holds, if it does; a look that leaves no reader behind.
    func adoptedGeneration() throws -> Generation? {
        guard !self.isClosed else { throw ResourceLoader.closedError }
        self.adopt()
        let generation = self.generation
        self.settle()
        return generation
    }

    /// The resource as its reader will see it, as soon as it is known.
    ///
    /// - Returns: `nil` if the cache cannot help, not even with a description: ask the origin.
    func description(for id: DemandID) async throws -> ResourceDescription? {
        while true {
            try Task.checkCancellation()
            guard let reader = self.readers[id] else { throw CancellationError() }
            // Where the origin cannot be asked, the resource is still what the cache says that it is.
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

    /// Where the next piece is, for a reader that has taken everything before `position`; waits for it.
    ///
    /// A reader that begins, and has taken nothing yet, waits for no more than the start of the answer where that is
    /// enough: see ``isComing(_:to:_:)``. One that has few held bytes waits for as much: see ``awaitsAnswer(_:_:)``.
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

    /// Whether the origin has just answered the request that was sent for a reader, with the version of which bytes are
    /// held.
    ///
    /// Then the reader can be told that it will have its byte. A player that seeks may keep the connection on which it
    /// read before until it hears that, and what comes there takes the line from what it wants. Of a version that is
    /// new, or that no validator vouches for, the first bytes may yet say that they are something else; and an answer
    /// that another reader has had for long may have been given up meanwhile, to be asked for again.
    private func isComing(_ position: Int64, to id: DemandID, _ reader: Reader) -> Bool {
        guard let generation = reader.generation, generation === self.generation,
            generation.heldByteCount > 0, generation.description.validator != nil,
            let fetch = self.plan.fetch(openedFor: id, bringing: position)
        else { return false }
        return self.fetches[fetch]?.reading != nil
    }

    /// What a reader lacks, straight from the origin.
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

    /// A byte that the plan counts on may have turned out to be damaged: it is a hole for the plan, too.
    private func reconcile(at position: Int64, for reader: Reader) {
        guard let generation = self.generation, generation === reader.generation,
            self.plan.held.contains(position)
        else { return }
        let hole = generation.held.hole(containing: position, before: .max)
        self.perform(self.plan.lost(hole ?? position..<position + 1))
    }

    /// A reader has gone.
    func depart(_ id: DemandID) {
        guard var reader = self.readers.removeValue(forKey: id) else { return }
        reader.wake()
        reader.beginning?.timer?.cancel()
        if reader.detachment != nil { self.detachedCount -= 1 }
        self.perform(self.plan.departed(id))
        self.settle()
    }

    /// Ends everything: readers get an error, requests end.
    func close() {
        self.isClosed = true
        self.confirmation?.task?.cancel()
        self.failReaders(ResourceLoader.closedError, all: true)
        self.abandonFetches()
        // Now, and not when the last reader has heard of it: that it is released counts as a use, and what is used after
        // the resource was closed has been used later. Each reader has a lease of its own.
        if let generation = self.generation { self.leave(generation) }
        self.startOver()
        self.resting?.forget()
        self.resting = nil
    }

    private func wait(_ id: DemandID) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                // A cancellation that came before this line finds no continuation; it is seen here.
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

    // MARK: The state of the sitting

    /// Looks once, with the first reader, whether the cache holds the resource.
    func adopt() {
        self.retireIfGone()
        if self.readers.count == self.detachedCount, self.fetches.isEmpty {
            self.degradation = nil
            // Without a generation nothing says that the resource is still so.
            if self.generation == nil { self.description = nil }
        }
        guard self.generation == nil, self.fetches.isEmpty, self.degradation == nil else { return }
        do {
            guard let generation = try self.cache.open(self.key) else { return }
            self.startOver()
            self.use(generation)
            self.plan.adopted(
                held: generation.held,
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
        // An earlier process may have asked just now.
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

    /// Bytes to compare where a continuation meets the cached bytes, where no validator vouches for them (law 2).
    nonisolated func overlap(of description: ResourceDescription) -> Int64 {
        description.validator == nil && !self.policy.isImmutable ? JoiningWriter.comparedCount : 0
    }

    /// With the last reader and the last request the generation is given back, so that it can be
    /// evicted; the next reader opens it again.
    ///
    /// What no validator vouches for would go then: the cache is asked to keep it, as far as its limits allow, for as
    /// long as this loader lives.
    func settle() {
        guard self.readers.count == self.detachedCount, self.fetches.isEmpty,
            self.confirmation == nil
        else { return }
        if let generation = self.generation { self.leave(generation) }
        self.startOver()
    }

    /// Gives the generation back.
    func leave(_ generation: Generation) {
        let description = generation.description
        let isKeptByCache = description.validator != nil || self.policy.isImmutable
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
        if isKeptByCache || isBare || self.isClosed {
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

    /// The cache cannot keep bytes: playing goes on without it (law 7).
    ///
    /// `isTold`: the cache has told its observer already.
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

    /// Takes the resource out of the cache; readers of what was held keep it.
    func forget() {
        self.current.set(nil)
        do {
            _ = try self.cache.remove(identifier: self.key.identifier)
        } catch {
            self.degrade(error)
        }
    }

    static let closedError = SourceError(
        .closed,
        "The resource was closed while it was being read; open it again to go on."
    )
}
