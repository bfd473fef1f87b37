// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Requests to the store, and the pauses of the store.
extension Tier {
    /// How long a question may take.
    struct Patience: Sendable {
        let lane: Lane
        let limit: Duration
        /// The time after which the store is slower than the origin would be; `nil` for no comparison.
        let lateness: Duration?

        init(_ lane: Lane, _ limit: Duration, lateAfter lateness: Duration? = nil) {
            self.lane = lane
            self.limit = limit
            self.lateness = lateness
        }
    }

    /// Reads and decodes the content of an object that a machine of the fleet has written.
    func content<Value: Sendable>(
        _ key: String,
        limit: Int,
        _ patience: Patience,
        _ read: (ArraySlice<UInt8>, StoredObject) -> Value?
    ) async throws -> Answer<Value> {
        let answer = try await self.ask(patience) { [store] () -> StoredObject? in
            do {
                return try await store.object(key, limit: limit)
            } catch let error as SourceError where error.code == .damaged {
                // An empty object has no valid seal, so it counts as damaged below.
                return StoredObject([])
            }
        }
        guard case .value(let found) = answer else { return .unknown }
        guard let object = found else { return .nothing }
        if let content = self.seal.content(of: object.bytes, as: key),
            let value = read(content, object)
        {
            return .value(value)
        }
        self.state.withLock { state in
            if state.damaged.count >= Self.mostRemembered { state.damaged = [] }
            state.damaged.insert(key)
        }
        self.observer?(.tier(.damaged(key: key)))
        self.failed("The store returned other bytes than Weir wrote.", patience.lane)
        return .unknown
    }

    func ask<Value: Sendable>(
        _ patience: Patience,
        _ question: @escaping @Sendable () async throws -> Value
    ) async throws -> Answer<Value> {
        try Task.checkCancellation()
        let asked = self.timeline.elapsed()
        let mayAsk = self.state.withLock { state in
            state.breakers[patience.lane, default: BreakerMachine()].mayAsk(at: asked)
        }
        guard mayAsk else { return .unknown }
        var isLate = false
        do {
            let value = try await self.limited(patience, question) {
                isLate = true
                self.late(patience.lane)
            }
            if !isLate {
                self.state.withLock { $0.breakers[patience.lane]?.succeeded(asked: asked) }
            }
            return .value(value)
        } catch {
            guard !Task.isCancelled else {
                self.state.withLock { $0.breakers[patience.lane]?.left(asked: asked) }
                throw CancellationError()
            }
            let failure = error as? SourceError
            if let wish = failure?.cause as? RetryLater {
                self.refused(failure?.message ?? "\(error)", for: wish.delay)
            } else if !isLate {
                self.failed(failure?.message ?? "\(error)", patience.lane)
            }
            return .unknown
        }
    }

    private func limited<Value: Sendable>(
        _ patience: Patience,
        _ question: @escaping @Sendable () async throws -> Value,
        whenLate: () -> Void
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { [timeline] group in
            defer { group.cancelAll() }
            group.addTask { try await question() }
            group.addTask {
                try await timeline.sleep(patience.limit)
                throw SourceError(
                    .timedOut,
                    "The store took longer than \(patience.limit.components.seconds) s."
                )
            }
            if let lateness = patience.lateness, lateness < patience.limit {
                group.addTask {
                    try await timeline.sleep(lateness)
                    return nil
                }
            }
            while let value = try await group.next() {
                if let value { return value }
                whenLate()
            }
            throw CancellationError()
        }
    }

    // MARK: Pauses

    /// Whether the store is paused for readers now, so that they ask the origin instead.
    var isLeftAlone: Bool { self.state.withLock { !$0.isAsked } }

    private func failed(_ reason: String, _ lane: Lane) {
        let pause = self.change(lane) { $0.failed(at: $1) }
        self.observer?(.tier(.failed(reason: reason)))
        self.paused(for: pause)
    }

    /// Notes that the origin was faster than the store, or would have been.
    func late(_ lane: Lane) {
        let pause = self.change(lane) { $0.late(at: $1) }
        self.observer?(.tier(.late))
        self.paused(for: pause)
    }

    /// Pauses the store: waiting for it is too slow, and asking the origin as well costs too much.
    private func leaveAlone(_ lane: Lane) {
        let pause = self.change(lane) { $0.opened(at: $1) }
        self.observer?(.tier(.late))
        self.paused(for: pause)
    }

    /// Pauses all requests, because the store demands it.
    private func refused(_ reason: String, for wish: Duration) {
        let pauses = Lane.allCases.map { lane in
            self.change(lane) { $0.refused(at: $1, for: wish) }
        }
        self.observer?(.tier(.failed(reason: reason)))
        self.paused(for: pauses.compactMap(\.self).max())
    }

    private func change(
        _ lane: Lane,
        _ event: (inout BreakerMachine, Duration) -> Duration?
    ) -> Duration? {
        let time = self.timeline.elapsed()
        return self.state.withLock { event(&$0.breakers[lane, default: BreakerMachine()], time) }
    }

    private func paused(for pause: Duration?) {
        if let pause { self.observer?(.tier(.paused(for: pause))) }
    }

    /// Tests a store at the end of its pause, while readers read the origin.
    ///
    /// One probe runs at a time. It reads the same objects as a reader: the descriptor, the list of extents, and an
    /// extent.
    func probeIfDue(_ resource: String, origin: String) {
        let time = self.timeline.elapsed()
        let isDue = self.state.withLock { state in
            let open = [Lane.questions, .extents].compactMap { state.breakers[$0] }
                .filter(\.isOpen)
            guard !state.isProbing, !open.isEmpty, open.allSatisfy({ $0.isDue(at: time) }) else {
                return false
            }
            state.isProbing = true
            return true
        }
        guard isDue else { return }
        let pace = self.pace(of: origin)
        // An unstructured task without an owner; each of its questions has a time limit.
        Task(executorPreference: self.executor) {
            defer { self.state.withLock { $0.isProbing = false } }
            guard
                let newest = try await self.descriptor(of: resource, lateAfter: pace.delay),
                let generation = TierGeneration(
                    resource,
                    newest.description.validator,
                    length: newest.description.length
                ),
                let number = try await self.numbers(of: generation, from: 0, lateAfter: pace.delay)?
                    .numbers.first
            else { return }
            let range = self.layout.range(of: number, inLength: generation.length)
            let extent = Pending(on: self.executor) {
                try await self.extent(number, of: generation)
            }
            let limit = pace.time(for: Int64(range.count))
            try await extent.wait(or: nil as Pending<Void>?, for: limit, on: self.timeline)
            if extent.result == nil { self.late(.extents) }
        }
    }

    // MARK: Asking the origin as well

    /// The recent response times of an origin.
    func pace(of origin: String) -> OriginPace {
        self.state.withLock { $0.paces[origin] ?? OriginPace() }
    }

    /// Notes a response time of an origin, or the rate of its bytes.
    func note(_ origin: String, _ event: (inout OriginPace) -> Void) {
        self.state.withLock { state in
            if state.paces[origin] == nil { state.paces.makeRoom(Self.mostRemembered) }
            event(&state.paces[origin, default: OriginPace()])
        }
    }

    /// The next step of a reader that has waited for the store.
    func step(
        after waited: Duration,
        for byteCount: Int64,
        origin: String,
        _ lane: Lane
    ) -> HedgeMachine.Step {
        let step = self.state.withLock { state in
            guard state.isAsked else { return HedgeMachine.Step.leaveAlone }
            return state.hedge.step(
                after: waited,
                for: byteCount,
                state.paces[origin] ?? OriginPace()
            )
        }
        switch step {
        case .wait: break
        case .ask: self.observer?(.tier(.hedged(byteCount: Int(clamping: byteCount))))
        case .leaveAlone: if !self.isLeftAlone { self.leaveAlone(lane) }
        }
        return step
    }

    /// Continues with bytes of the origin, although the store may have them; without credit, pauses the store.
    func goOn(for byteCount: Int64) {
        let mayGoOn = self.state.withLock { state in
            state.isAsked ? state.hedge.take(byteCount) : nil
        }
        switch mayGoOn {
        case nil: break
        case true?: self.observer?(.tier(.hedged(byteCount: Int(clamping: byteCount))))
        case false?: self.leaveAlone(.extents)
        }
    }
}

extension Tier.State {
    /// Whether readers ask the store.
    var isAsked: Bool {
        self.breakers[.questions]?.isOpen != true && self.breakers[.extents]?.isOpen != true
    }
}
