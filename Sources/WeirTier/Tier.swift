// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// A second tier behind the caches of a fleet, so that machines share bytes instead of asking the
/// origin.
///
/// The tier holds extents, which never change. For each resource it also holds a descriptor, which
/// names the newest version. Weir does not trust the store: each object is sealed with a secret
/// that the machines share. A question that fails, or takes too long, counts as a question without
/// a result. After several failures in a row, the tier is paused. The tier is also paused while it
/// is slower than the origin.
package final class Tier: Sendable {
    /// The answer to a question.
    enum Answer<Value: Sendable>: Sendable {
        case value(Value)
        /// The tier has no such object.
        case nothing
        /// The tier cannot be asked now, or has failed.
        case unknown
    }

    /// The kinds of requests; each is paused separately, since a store may support only some.
    enum Lane: Hashable, Sendable, CaseIterable {
        /// A descriptor, or the list of extents.
        case questions
        case extents
        /// The writes, and the questions of a writer.
        case writes
    }

    /// A descriptor, and the time since the origin confirmed it.
    struct Newest: Sendable {
        let description: ResourceDescription
        /// `nil` if the age is unknown.
        let age: Duration?
    }

    struct State {
        var breakers: [Lane: BreakerMachine] = [:]
        var hedge: HedgeMachine
        /// The recent response times of origins.
        var paces: [String: OriginPace] = [:]
        /// Whether a probe is running.
        var isProbing = false
        /// The descriptors, or `nil` for resources without one, and the times of the answers.
        var descriptors: [String: (Newest?, Duration)] = [:]
        /// The extents that the store is known to have.
        var present: [TierGeneration: Set<Int>] = [:]
        /// The objects that were found damaged.
        var damaged: Set<String> = []
        /// The versions that origins confirmed, and the times of the confirmations.
        var confirmed: [String: (ResourceDescription, Duration)] = [:]
        /// How many extents are being read ahead.
        var readAheadCount = 0
    }

    /// How long a question may take.
    static let patience = Duration.seconds(2)
    /// How long an extent may take, to be read or written.
    static let extentPatience = Duration.seconds(10)
    /// How long the answer to a question for a descriptor is used.
    private static let descriptorLife = Duration.seconds(5)
    /// How many extents are read ahead for all readers together.
    private static let mostReadAhead = 8
    /// How many resources are remembered; forgotten ones are asked for again.
    static let mostRemembered = 10_000
    /// The initial credit for asking the origin in addition to the store, in extents.
    static let mostHedged: Int64 = 4

    let store: any ObjectStore
    let layout: ExtentLayout
    let timeline: Timeline
    /// Runs the tier's tasks; `nil` for the default executor.
    let executor: (any TaskExecutor)?
    /// Seconds since 1970.
    let now: @Sendable () -> Int64
    let observer: SourceObserver?
    let seal: TierSeal
    let state: Mutex<State>

    /// Creates a tier.
    ///
    /// - Parameters:
    ///   - store: the store of the objects.
    ///   - secret: the secret that the machines of the fleet share.
    ///   - clock: measures waits.
    ///   - now: the time of day, in seconds since 1970.
    ///   - observer: receives events about reads and writes of the tier.
    package convenience init(
        store: any ObjectStore,
        secret: [UInt8],
        clock: any Clock<Duration> = ContinuousClock(),
        now: @escaping @Sendable () -> Int64,
        observer: SourceObserver? = nil
    ) {
        self.init(
            store: store,
            secret: secret,
            layout: .standard,
            clock: clock,
            now: now,
            observer: observer
        )
    }

    init(
        store: any ObjectStore,
        secret: [UInt8],
        layout: ExtentLayout,
        clock: any Clock<Duration>,
        executor: (any TaskExecutor)? = nil,
        now: @escaping @Sendable () -> Int64,
        observer: SourceObserver?
    ) {
        self.store = store
        self.seal = TierSeal(secret: secret)
        self.layout = layout
        self.timeline = Timeline(clock)
        self.executor = executor
        self.now = now
        self.observer = observer
        let credit = layout.size.multipliedClamped(by: Self.mostHedged)
        self.state = Mutex(State(hedge: HedgeMachine(mostCredit: credit)))
    }

    // MARK: Reading

    /// The newest version of a resource, as far as the fleet knows.
    ///
    /// - Parameters:
    ///   - resource: its identifier.
    ///   - delay: the time after which the store is slower than the origin would be; `nil` for no
    ///     comparison.
    /// - Returns: `nil` if the store has no descriptor of it, or cannot be asked.
    /// - Throws: `CancellationError`.
    func descriptor(of resource: String, lateAfter delay: Duration? = nil) async throws -> Newest? {
        let time = self.timeline.elapsed()
        if let (known, asked) = self.state.withLock({ $0.descriptors[resource] }),
            time - asked < Self.descriptorLife
        {
            return known.map {
                Newest(description: $0.description, age: $0.age.map { $0 + time - asked })
            }
        }
        let key = TierKey.descriptor(of: resource)
        let answer = try await self.content(
            key,
            limit: TierDescriptor.mostBytes,
            Patience(.questions, Self.patience, lateAfter: delay)
        ) { [now] content, object in
            TierDescriptor(content).map { descriptor in
                Newest(
                    description: descriptor.description,
                    age: descriptor.age(in: object, at: now()).map { .seconds($0) }
                )
            }
        }
        let found: Newest?
        switch answer {
        case .value(let descriptor): found = descriptor
        case .nothing: found = nil
        case .unknown: return nil
        }
        self.state.withLock { state in
            state.descriptors.makeRoom(Self.mostRemembered)
            state.descriptors[resource] = (found, self.timeline.elapsed())
            // A store removes a descriptor with its extents or after them, so the known extents may
            // be gone.
            if found == nil {
                state.present = state.present.filter { $0.key.resource != resource }
            }
        }
        return found
    }

    /// Forgets the facts of a resource: the origin has another version.
    func forget(_ resource: String) {
        self.state.withLock { state in
            state.descriptors[resource] = (nil, self.timeline.elapsed())
            state.confirmed[resource] = nil
        }
    }

    /// The bytes of an extent.
    ///
    /// - Returns: `nil` if the store does not have it, or it cannot be read.
    /// - Throws: `CancellationError`.
    func extent(_ number: Int, of generation: TierGeneration) async throws -> ByteMemory? {
        let length = self.layout.range(of: number, inLength: generation.length).count
        let key = TierKey.extent(number, of: generation, self.layout)
        let answer = try await self.content(
            key,
            limit: TierSeal.overhead + length,
            Patience(.extents, Self.extentPatience)
        ) { content, _ -> ByteMemory? in
            guard content.count == length else { return nil }
            // The object as it arrived, without the bytes before the content.
            return ByteMemory(owner: content, count: length) { content, body in
                content.withUnsafeBytes(body)
            }
        }
        guard case .value(let bytes) = answer else {
            self.state.withLock { state in
                // A damaged extent must be written again, like a missing one.
                var isMissing = state.damaged.contains(key)
                if case .nothing = answer { isMissing = true }
                if isMissing { state.present[generation]?.remove(number) }
            }
            self.observer?(.tier(.missed))
            return nil
        }
        self.noteThere([number], of: generation)
        self.state.withLock { $0.hedge.storeGave(Int64(bytes.count)) }
        self.observer?(.tier(.read(byteCount: bytes.count)))
        return bytes
    }

    /// Lists the numbers of a version's extents, as many as the store lists at once.
    ///
    /// - Parameters:
    ///   - generation: the version.
    ///   - start: the first wanted number.
    ///   - lane: the kind of request.
    ///   - delay: the time after which the store is slower than the origin would be; `nil` for no
    ///     comparison.
    /// - Returns: the numbers in order, and the number from which on the extents are unknown, if
    ///   there is one; `nil` if the store cannot be asked, or fails.
    /// - Throws: `CancellationError`.
    func numbers(
        of generation: TierGeneration,
        from start: Int,
        _ lane: Lane = .questions,
        lateAfter delay: Duration? = nil
    ) async throws -> (numbers: [Int], end: Int?)? {
        let prefix = TierKey.extents(of: generation, self.layout)
        let first = TierKey.extent(start, of: generation, self.layout)
        let former = self.state.withLock { $0.present[generation] } ?? []
        let answer = try await self.ask(
            Patience(lane, Self.patience, lateAfter: delay)
        ) { [store] in
            try await store.keys(beginningWith: prefix, from: first)
        }
        guard case .value(let (keys, areAll)) = answer else { return nil }
        let numbers = keys.compactMap { TierKey.number(in: $0, behind: prefix) }
            .filter { $0 >= start }
        let end = areAll ? nil : numbers.last.map { $0 + 1 } ?? start
        // Extents that the store has lost must be written again; those added in the meantime exist.
        let gone = former.subtracting(numbers).filter { $0 >= start && $0 < end ?? .max }
        self.state.withLock { $0.present[generation]?.subtract(gone) }
        self.noteThere(numbers, of: generation)
        return (numbers, end)
    }

    /// Takes the right to read an extent ahead; ``endReadAhead()`` returns it.
    func mayReadAhead() -> Bool {
        self.state.withLock { state in
            guard state.isAsked, state.readAheadCount < Self.mostReadAhead else {
                return false
            }
            state.readAheadCount += 1
            return true
        }
    }

    func endReadAhead() { self.state.withLock { $0.readAheadCount -= 1 } }

    // MARK: Writing

    /// Writes an extent, unless the store has it.
    ///
    /// - Returns: whether the store has it now.
    /// - Throws: `CancellationError`.
    func write(_ bytes: [UInt8], as number: Int, of generation: TierGeneration) async throws -> Bool
    {
        let key = TierKey.extent(number, of: generation, self.layout)
        let isDamaged = self.state.withLock { $0.damaged.contains(key) }
        let object = self.seal.sealed(bytes, as: key)
        let answer = try await self.ask(Patience(.writes, Self.extentPatience)) { [store] in
            try await store.put(object, as: key, replacing: isDamaged)
        }
        guard case .value(let isNew) = answer else { return false }
        self.state.withLock { _ = $0.damaged.remove(key) }
        self.noteThere([number], of: generation)
        if isNew { self.observer?(.tier(.stored(byteCount: bytes.count))) }
        return true
    }

    /// Writes a descriptor, which names the newest version of a resource.
    ///
    /// - Parameters:
    ///   - description: the version.
    ///   - heard: when an origin confirmed it.
    ///   - resource: the resource.
    /// - Returns: whether the store has it now.
    /// - Throws: `CancellationError`.
    func write(
        _ description: ResourceDescription,
        heard: Duration,
        of resource: String
    ) async throws -> Bool {
        let key = TierKey.descriptor(of: resource)
        let age = max(0, (self.timeline.elapsed() - heard).components.seconds)
        let descriptor = TierDescriptor(
            description,
            confirmed: self.now().subtractingClamped(age),
            waited: age
        )
        let object = self.seal.sealed(descriptor.bytes, as: key)
        let answer = try await self.ask(Patience(.writes, Self.patience)) { [store] in
            try await store.put(object, as: key, replacing: true)
        }
        guard case .value = answer else { return false }
        self.state.withLock { $0.descriptors[resource] = nil }
        return true
    }

    /// Whether the store, by its last answer, has no descriptor of a resource, or only an outdated
    /// one.
    func lacksDescriptor(of resource: String) -> Bool {
        self.state.withLock { state in
            guard let (known, _) = state.descriptors[resource] else { return false }
            return known == nil
        }
    }

    /// Whether the store is known to have an extent.
    func isThere(_ number: Int, of generation: TierGeneration) -> Bool {
        self.state.withLock { $0.present[generation]?.contains(number) ?? false }
    }

    /// Whether any extents of a version are known, or were asked for.
    func isKnown(_ generation: TierGeneration) -> Bool {
        self.state.withLock { $0.present[generation] != nil }
    }

    private func noteThere(_ numbers: [Int], of generation: TierGeneration) {
        self.state.withLock { state in
            if state.present[generation] == nil { state.present.makeRoom(Self.mostRemembered) }
            // A damaged extent must still be written.
            let sound = numbers.filter { number in
                state.damaged.isEmpty
                    || !state.damaged.contains(
                        TierKey.extent(number, of: generation, self.layout)
                    )
            }
            state.present[generation, default: []].formUnion(sound)
        }
    }

    // MARK: Versions of origins

    /// Notes that an origin has just confirmed a resource.
    func confirmed(_ resource: String, _ description: ResourceDescription) {
        guard description.validator != nil, description.length != nil,
            description.cacheDirectives?.forbidsStoring != true
        else { return }
        self.state.withLock { state in
            if state.confirmed[resource] == nil { state.confirmed.makeRoom(Self.mostRemembered) }
            state.confirmed[resource] = (description, self.timeline.elapsed())
        }
    }

    /// The version that an origin last confirmed, and the time of the confirmation.
    func confirmation(of resource: String) -> (description: ResourceDescription, heard: Duration)? {
        self.state.withLock { $0.confirmed[resource] }
    }
}

extension Dictionary {
    /// Removes all entries if there is no room for one more.
    mutating func makeRoom(_ limit: Int) {
        if self.count >= limit { self.removeAll() }
    }
}
