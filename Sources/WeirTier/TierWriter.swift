// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
package import WeirCache
import WeirSource

/// Writes durable bytes of a cache to a tier: whole extents, a few at a time, at a limited rate.
///
/// Lost extents do no harm: the queue is bounded, and an extent that fails repeatedly is dropped.
package final class TierWriter: Sendable {
    /// How many extents may wait; each keeps its file open.
    private static let longestQueue = 64
    /// How many extents are written at a time.
    private static let workerCount = 2
    /// How many times at most an extent is sent to a store that fails.
    private static let mostAttempts = 8
    /// How old the confirmation in a descriptor may grow before the descriptor is written again.
    private static let descriptorAge = Duration.seconds(20)

    private struct Job {
        let generation: Generation
        let name: TierGeneration
        let number: Int
        let lease: GenerationLease
    }

    private struct State {
        var queue: [Job] = []
        /// The extents that wait or are being written.
        var known: [TierGeneration: Set<Int>] = [:]
        var workers: [Int: Task<Void, Never>] = [:]
        var lastWorker = 0
        /// The descriptors that this machine has written.
        var described: [String: (description: ResourceDescription, heard: Duration)] = [:]
        var isClosed = false
    }

    let tier: Tier
    private let limiter: RateLimiter?
    /// Waits between two attempts.
    private let pause: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// Creates a writer.
    ///
    /// - Parameters:
    ///   - tier: the tier to write to.
    ///   - bytesPerSecond: the maximum rate; `nil` for no limit.
    package convenience init(_ tier: Tier, bytesPerSecond: Int64? = nil) {
        self.init(tier, bytesPerSecond: bytesPerSecond, pause: tier.timeline.sleep)
    }

    init(
        _ tier: Tier,
        bytesPerSecond: Int64? = nil,
        pause: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.tier = tier
        self.pause = pause
        self.limiter = bytesPerSecond.map { RateLimiter(unitsPerSecond: $0) }
    }

    deinit { self.close() }

    /// Queues the whole extents of a generation whose bytes have become durable.
    ///
    /// Returns at once.
    package func saved(_ generation: Generation) {
        let description = generation.description
        guard description.cacheDirectives?.forbidsStoring != true,
            let name = TierGeneration(
                generation.resource,
                description.validator,
                length: description.length
            )
        else { return }
        let numbers = self.tier.layout.whole(in: generation.durable, ofLength: name.length)
            .filter { !self.tier.isThere($0, of: name) }
        guard !numbers.isEmpty else { return }
        let dropped = self.state.withLock { state -> Int in
            guard !state.isClosed else { return 0 }
            var dropped = 0
            for number in numbers where !(state.known[name]?.contains(number) ?? false) {
                guard state.queue.count < Self.longestQueue else {
                    dropped += 1
                    continue
                }
                state.known[name, default: []].insert(number)
                state.queue.append(
                    Job(
                        generation: generation,
                        name: name,
                        number: number,
                        lease: generation.lease()
                    )
                )
            }
            self.startWorkers(&state)
            return dropped
        }
        for _ in 0..<dropped { self.tier.observer?(.tier(.dropped)) }
    }

    /// Stops writing; cancels the running writes.
    package func close() {
        let workers = self.state.withLock { state in
            state.isClosed = true
            state.queue = []
            defer { state.workers = [:] }
            return state.workers
        }
        for worker in workers.values { worker.cancel() }
    }

    /// Waits until all queued extents are written, or have failed.
    package func drain() async {
        while let worker = self.state.withLock({ $0.workers.first?.value }) { await worker.value }
    }

    private func startWorkers(_ state: inout State) {
        while state.workers.count < min(Self.workerCount, state.queue.count) {
            state.lastWorker += 1
            let id = state.lastWorker
            // The writer owns the task, and cancels it in `close()`; the task ends when the queue
            // is empty.
            state.workers[id] = Task(priority: .utility) { [weak self] in
                while let job = self?.take(id) {
                    await self?.write(job)
                }
            }
        }
    }

    private func take(_ worker: Int) -> Job? {
        self.state.withLock { state in
            guard !state.queue.isEmpty, !state.isClosed else {
                state.workers[worker] = nil
                return nil
            }
            return state.queue.removeFirst()
        }
    }

    private func write(_ job: Job) async {
        defer {
            self.state.withLock { state in
                state.known[job.name]?.remove(job.number)
                if state.known[job.name]?.isEmpty == true { state.known[job.name] = nil }
            }
        }
        do {
            if !self.tier.isKnown(job.name) {
                _ = try await self.tier.numbers(of: job.name, from: 0, .writes)
            }
            guard !self.tier.isThere(job.number, of: job.name),
                let bytes = await self.bytes(of: job)
            else { return }
            var pause = Duration.seconds(1)
            var isWritten = false
            for _ in 0..<Self.mostAttempts {
                if !isWritten {
                    try await self.limiter?.take(bytes.count)
                    isWritten = try await self.tier.write(bytes, as: job.number, of: job.name)
                }
                if isWritten, try await self.describe(job.name) { return }
                try await self.pause(pause)
                pause = min(pause * 2, .seconds(20))
            }
        } catch {
            // The writer is closed.
        }
    }

    /// Writes the descriptor of a version that an origin has confirmed, unless the last written one
    /// is recent enough.
    ///
    /// - Returns: `false` if the descriptor is needed, and could not be written.
    private func describe(_ name: TierGeneration) async throws -> Bool {
        guard let heard = self.tier.confirmation(of: name.resource),
            TierGeneration(
                name.resource,
                heard.description.validator,
                length: heard.description.length
            ) == name
        else { return true }
        let former = self.state.withLock { $0.described[name.resource] }
        if !self.tier.lacksDescriptor(of: name.resource), let former,
            former.description.validator == heard.description.validator,
            heard.heard - former.heard < Self.descriptorAge
        {
            return true
        }
        guard
            try await self.tier.write(heard.description, heard: heard.heard, of: name.resource)
        else { return false }
        self.state.withLock { $0.described[name.resource] = heard }
        return true
    }

    /// The bytes of an extent, compared with their checksums; `nil` if they are no longer held.
    private func bytes(of job: Job) async -> [UInt8]? {
        let range = self.tier.layout.range(of: job.number, inLength: job.name.length)
        return await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .utility).async {
                continuation.resume(returning: Self.bytes(range, of: job.generation))
            }
        }
    }

    private static func bytes(_ range: Range<Int64>, of generation: Generation) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        var position = range.lowerBound
        while position < range.upperBound {
            guard
                let slice = try? generation.checkedSlice(at: position, before: range.upperBound),
                let memory = try? slice.load()
            else { return nil }
            memory.withUnsafeBytes { bytes += $0 }
            position = slice.range.upperBound
        }
        return bytes
    }
}
