// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A running request, as the loader sees it.
    struct Fetch {
        /// Reads the origin; cancelled when the plan closes the fetch.
        var task: Task<Void, Never>?
        /// Its reading, after the origin has responded.
        var reading: ByteReading?
        /// Compares held bytes with the origin's; cancelled with the fetch.
        var verification: Task<Void, any Error>?
        /// Whether the plan wants bytes to stay in the connection.
        var isPaused = false
        /// The continuation of the paused task.
        var waiter: CheckedContinuation<Void, Never>?
        /// Waits until the linger time is over; cancelled with the fetch.
        var lingering: Task<Void, Never>?

        mutating func wake() {
            self.waiter?.resume()
            self.waiter = nil
        }
    }

    /// Carries out effects.
    func perform(_ effects: [FetchPlan.Effect]) {
        for effect in effects {
            switch effect {
            case .open(let id, let range, let overlap): self.open(id, range, overlap)
            case .verify(let id, let range): self.verify(id, range)
            case .pause(let id):
                self.fetches[id]?.isPaused = true
                self.fetches[id]?.lingering?.cancel()
                self.fetches[id]?.reading?.reclaim()
            case .proceed(let id):
                self.fetches[id]?.isPaused = false
                self.fetches[id]?.lingering?.cancel()
                self.fetches[id]?.reading?.reclaim()
                self.fetches[id]?.wake()
            case .linger(let id): self.linger(id)
            case .close(let id): self.drop(id)
            case .fail: break
            }
        }
    }

    /// Ends all requests, whatever the plan says.
    func abandonFetches() {
        for id in self.fetches.keys { self.drop(id) }
    }

    private func drop(_ id: FetchID) {
        guard var fetch = self.fetches.removeValue(forKey: id) else { return }
        fetch.task?.cancel()
        fetch.verification?.cancel()
        fetch.lingering?.cancel()
        fetch.wake()
    }

    private func linger(_ id: FetchID) {
        self.fetches[id]?.isPaused = true
        self.fetches[id]?.lingering?.cancel()
        let time = self.ignoresRanges ? self.policy.lingerWithoutRanges : self.policy.linger
        // Owned by the fetch, which cancels it; ends with the linger time.
        self.fetches[id]?.lingering = Task { [clock] in
            do { try await clock.sleep(for: time) } catch { return }
            self.lingered(id)
        }
        self.fetches[id]?.reading?.abandon { [weak self] in
            guard let self else { return }
            // An unstructured task: it visits the actor once.
            Task { await self.lingered(id) }
        }
    }

    /// Notes that a fetch has lingered long enough, or that another request wants its connection.
    private func lingered(_ id: FetchID) {
        self.perform(self.plan.lingered(id))
        self.settle()
    }

    /// Reads held bytes again, beside a fetch, and compares them.
    private func verify(_ id: FetchID, _ range: Range<Int64>) {
        guard let generation = self.generation, self.fetches[id] != nil else { return }
        let demand = ReadDemand(.span(range), version: self.description?.version)
        // Owned by the fetch, which waits for the task, and cancels the task when the fetch is
        // dropped.
        self.fetches[id]?.verification = Task { [origin] in
            for try await chunk in try await origin.read(demand) {
                try JoiningWriter.compare(
                    try chunk.memory(),
                    at: chunk.range.lowerBound,
                    generation
                )
            }
        }
    }

    private func verification(of id: FetchID) -> Task<Void, any Error>? {
        self.fetches[id]?.verification
    }

    private func open(_ id: FetchID, _ range: RequestedRange, _ overlap: Overlap) {
        var demand = ReadDemand(range, version: self.description?.version)
        demand.takesWhole = true
        let asked = demand
        var fetch = Fetch()
        // The fetch counts against its own client's share of the rate, even if another reader's
        // arrival or departure started it.
        let reader = self.plan.fetches.first { $0.id == id }?.openedFor.flatMap { self.readers[$0] }
        let request = if let reader { reader.clientRequest } else { ClientRequest.current }
        ClientRequest.$current.withValue(request) {
            // Owned by the fetch; ends with the body, with its failure, or by `drop`, which cancels
            // it.
            fetch.task = Task { await self.run(id, asked, overlap) }
        }
        self.fetches[id] = fetch
    }

    /// Reads the origin and passes the bytes to the cache; outside the actor, whose readers go on.
    @concurrent
    private nonisolated func run(_ id: FetchID, _ demand: ReadDemand, _ overlap: Overlap) async {
        // The offset of the next byte of the reading, and whether it is proved to continue the held bytes.
        var next: Int64?
        var isJoined = false
        do {
            let watch = Stopwatch(self.clock)
            let reading = try await self.origin.read(demand)
            let latency = watch.seconds
            guard let generation = await self.opened(id, reading) else { return }
            next = reading.lowerBound
            if let verification = await self.verification(of: id) { try await verification.value }
            var writer = JoiningWriter(
                generation,
                overlap: self.overlap(of: generation.description)
            )
            // Bytes behind the hole only repeat held bytes, so do not report them to the plan.
            let isAsAsked = reading.resource.acceptsRanges != false
            let claimEnd = isAsAsked ? (reading.upperBound ?? .max) - overlap.after : .max
            for try await chunk in reading {
                let readable: Int64
                do {
                    readable = try writer.take(chunk.memory(), at: chunk.range.lowerBound)
                } catch let error as CacheError {
                    reading.putBack([chunk])
                    isJoined = !writer.lacksComparison
                    throw error
                }
                next = chunk.range.upperBound
                let pace = Pace(
                    latency: latency,
                    seconds: watch.seconds - latency,
                    byteCount: chunk.range.upperBound - reading.lowerBound
                )
                guard await self.arrived(id, upTo: min(readable, claimEnd), pace) else { return }
                isJoined = true
                if generation.isCrowded { try await generation.waitForRoom(Timeline(self.clock)) }
            }
            if let end = try writer.finish() {
                guard await self.arrived(id, upTo: min(end, claimEnd), nil) else { return }
            }
            await self.finished(id, provesEnd: reading.provesEnd)
        } catch {
            await self.failed(id, error, before: next, isJoined: isJoined)
        }
    }

    /// - Returns: the generation to write to; `nil` if the bytes are no longer wanted or cannot be
    ///   kept.
    private func opened(_ id: FetchID, _ reading: ByteReading) async -> Generation? {
        guard self.fetches[id] != nil else { return nil }
        let directives = reading.resource.cacheDirectives
        let isPinned =
            self.generation?.isPinned == true
            || self.readers.values.contains { $0.filling?.storesForbidden == true }
        guard self.policy.mayStore(directives, isPinned: isPinned) else {
            self.passOn(reading, of: id)
            return nil
        }
        self.fetches[id]?.reading = reading
        if reading.coversWhole {
            // The body itself repeats the cached bytes. A separate comparison would fetch a second
            // whole body for 4 KiB.
            self.fetches[id]?.verification?.cancel()
            self.fetches[id]?.verification = nil
        }
        if let acceptsRanges = reading.resource.acceptsRanges {
            self.ignoresRanges = !acceptsRanges
        }
        if self.generation == nil {
            do {
                self.use(
                    try self.cache.create(
                        self.key,
                        description: reading.resource,
                        persistent: reading.resource.validator != nil || self.policy.isImmutable
                    )
                )
            } catch {
                self.description = reading.resource
                self.degrade(error)
                return nil
            }
            for (id, reader) in self.readers where reader.detachment == nil {
                self.readers[id]?.generation = self.generation
            }
        } else if let length = reading.resource.length, let generation = self.generation,
            generation.description.length == nil
        {
            do { try generation.setLength(length) } catch { self.degrade(error) }
            self.description = generation.description
        }
        let generation = self.generation
        // An accepted response belongs to this generation.
        self.current.learned(directives)
        self.confirmed()
        self.perform(
            self.plan.opened(
                id,
                at: reading.lowerBound,
                length: reading.resource.length,
                ignoresRanges: reading.resource.acceptsRanges == false,
                coversWhole: reading.coversWhole,
                overlap: self.overlap(of: generation?.description ?? reading.resource)
            )
        )
        self.wakeReaders()
        return await self.mayGoOn(id) ? generation : nil
    }

    private func arrived(_ id: FetchID, upTo offset: Int64, _ pace: Pace?) async -> Bool {
        guard self.fetches[id] != nil else { return false }
        if let pace, let rate = pace.rate { self.plan.measured(latency: pace.latency, rate: rate) }
        self.perform(self.plan.arrived(id, upTo: offset))
        self.current.announce()
        self.wakeReaders()
        return await self.mayGoOn(id)
    }

    private func finished(_ id: FetchID, provesEnd: Bool) {
        guard self.fetches.removeValue(forKey: id) != nil else { return }
        self.perform(self.plan.finished(id))
        if let length = self.plan.length, let generation = self.generation,
            generation.description.length == nil
        {
            if provesEnd {
                do { try generation.setLength(length) } catch { self.degrade(error) }
                self.description = generation.description
            } else {
                self.presumedEnd = (generation.id, length)
            }
        }
        self.current.announce()
        self.wakeReaders()
        self.settle()
    }

    /// Ends a fetch that failed.
    ///
    /// `next` is the offset of the next byte of its reading, if there is one; see ``HandedOver/isJoined``.
    private func failed(
        _ id: FetchID,
        _ error: any Error,
        before next: Int64?,
        isJoined: Bool
    ) {
        guard self.fetches[id] != nil else { return }
        if let error = error as? CacheError {
            // The reader for which the request was sent continues with the rest of its response.
            if let reader = self.plan.fetches.first(where: { $0.id == id })?.openedFor,
                let reading = self.fetches[id]?.reading, let next
            {
                self.readers[reader]?.handedOver = HandedOver(
                    reading: reading,
                    next: next,
                    isJoined: isJoined
                )
            }
            return self.degrade(error, isTold: true)
        }
        if let error = error as? SourceError, error.code == .changed, self.description != nil {
            return self.change(error)
        }
        let fetch = self.fetches.removeValue(forKey: id)
        fetch?.lingering?.cancel()
        fetch?.verification?.cancel()
        self.denied(error as? SourceError)
        let onlyItsDemand = (error as? SourceError)?.code == .rangeNotSatisfiable
        let effects = self.plan.failed(id, onlyItsDemand: onlyItsDemand)
        for case .fail(let reader) in effects {
            self.readers[reader]?.failure = error
            self.readers[reader]?.wake()
        }
        self.perform(effects)
        self.settle()
    }

    private func wakeReaders() {
        for id in self.readers.keys { self.readers[id]?.wake() }
    }

    /// Waits while the plan wants the bytes to stay in the connection.
    ///
    /// - Returns: `false` if the fetch was closed.
    private func mayGoOn(_ id: FetchID) async -> Bool {
        while let fetch = self.fetches[id] {
            guard fetch.isPaused else { return true }
            await withCheckedContinuation { self.fetches[id]?.waiter = $0 }
        }
        return false
    }
}
