// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

extension ResourceLoader {
    /// A request under way, as the loader sees it.
    struct Fetch {
        /// Reads the origin; cancelled when the plan closes the fetch.
        var task: Task<Void, Never>?
        /// Whether the plan wants bytes to stay in the connection.
        var isPaused = false
        /// The task, waiting to go on.
        var waiter: CheckedContinuation<Void, Never>?
        /// Waits for the linger time; cancelled with the fetch.
        var lingering: Task<Void, Never>?

        mutating func wake() {
            self.waiter?.resume()
            self.waiter = nil
        }
    }

    /// Carries effects out.
    func perform(_ effects: [FetchPlan.Effect]) {
        for effect in effects {
            switch effect {
            case .open(let id, let range, let overlap): self.open(id, range, overlap)
            case .pause(let id): self.fetches[id]?.isPaused = true
            case .proceed(let id):
                self.fetches[id]?.isPaused = false
                self.fetches[id]?.lingering?.cancel()
                self.fetches[id]?.wake()
            case .linger(let id): self.linger(id)
            case .close(let id): self.drop(id)
            case .fail: break
            }
        }
    }

    /// Ends all requests, whatever the plan thinks of them.
    func abandonFetches() {
        for id in self.fetches.keys { self.drop(id) }
    }

    private func drop(_ id: FetchID) {
        guard var fetch = self.fetches.removeValue(forKey: id) else { return }
        fetch.task?.cancel()
        fetch.lingering?.cancel()
        fetch.wake()
    }

    private func linger(_ id: FetchID) {
        self.fetches[id]?.isPaused = true
        self.fetches[id]?.lingering?.cancel()
        // Owned by the fetch, which cancels it; ends with the linger time.
        self.fetches[id]?.lingering = Task { [clock, policy] in
            do { try await clock.sleep(for: policy.linger) } catch { return }
            self.perform(self.plan.lingered(id))
            self.settle()
        }
    }

    private func open(_ id: FetchID, _ range: RequestedRange, _ overlap: Overlap) {
        let demand = ReadDemand(range, pinnedTo: self.description?.pin)
        var fetch = Fetch()
        // Owned by the fetch; ends with the body, with its failure, or by `drop`, which cancels it.
        fetch.task = Task { await self.run(id, demand, overlap) }
        self.fetches[id] = fetch
    }

    /// Reads the origin and writes what comes; off the actor, since writing may block.
    @concurrent
    private nonisolated func run(_ id: FetchID, _ demand: ReadDemand, _ overlap: Overlap) async {
        do {
            let watch = Stopwatch(self.clock)
            let reading = try await self.origin.read(demand)
            let latency = watch.seconds
            guard let generation = await self.opened(id, reading) else { return }
            var writer = JoiningWriter(
                generation,
                overlap: self.overlap(of: generation.description)
            )
            // What comes again after the hole is no news to the plan.
            let isAsAsked = reading.description.acceptsRanges != false
            let claimEnd = isAsAsked ? (reading.upperBound ?? .max) - overlap.after : .max
            for try await chunk in reading {
                let readable = try writer.take(chunk.memory(), at: chunk.range.lowerBound)
                let pace = Pace(
                    latency: latency,
                    seconds: watch.seconds - latency,
                    byteCount: chunk.range.upperBound - reading.lowerBound
                )
                guard await self.arrived(id, upTo: min(readable, claimEnd), pace) else { return }
            }
            if let end = try writer.finish() {
                guard await self.arrived(id, upTo: min(end, claimEnd), nil) else { return }
            }
            await self.finished(id, provesEnd: reading.provesEnd)
        } catch {
            await self.failed(id, error)
        }
    }

    /// - Returns: where to write; `nil` if nobody wants the bytes any more or they cannot be kept.
    private func opened(_ id: FetchID, _ reading: ByteReading) async -> Generation? {
        guard self.fetches[id] != nil else { return nil }
        if self.generation == nil {
            do {
                self.use(
                    try self.cache.create(
                        self.key,
                        description: reading.description,
                        persistent: reading.description.validator != nil || self.policy.isImmutable
                    )
                )
            } catch {
                self.description = reading.description
                self.degrade(error)
                return nil
            }
            for reader in self.readers.keys { self.readers[reader]?.generation = self.generation }
        } else if let length = reading.description.length, let generation = self.generation,
            generation.description.length == nil
        {
            do { try generation.setLength(length) } catch { self.degrade(error) }
            self.description = generation.description
        }
        let generation = self.generation
        // An answer that was accepted is of this generation.
        self.confirmed()
        self.perform(
            self.plan.opened(
                id,
                at: reading.lowerBound,
                length: reading.description.length,
                ignoresRanges: reading.description.acceptsRanges == false,
                overlap: self.overlap(of: generation?.description ?? reading.description)
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
            generation.description.length == nil, provesEnd
        {
            do { try generation.setLength(length) } catch { self.degrade(error) }
            self.description = generation.description
        }
        self.current.announce()
        self.wakeReaders()
        self.settle()
    }

    private func failed(_ id: FetchID, _ error: any Error) {
        guard self.fetches[id] != nil else { return }
        if let error = error as? CacheError { return self.degrade(error, isTold: true) }
        if let error = error as? SourceError, error.code == .changed, self.description != nil {
            return self.change(error)
        }
        self.fetches.removeValue(forKey: id)?.lingering?.cancel()
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
