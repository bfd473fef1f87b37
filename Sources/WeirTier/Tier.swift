// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// A second tier behind the caches of a fleet: what one machine has fetched, the others need not ask the origin for.
///
/// It holds extents, which are never changed, and for each resource a descriptor, which names its newest version. Nothing
/// that it gives is believed: each object is sealed with a secret that the machines share. A question that fails, or takes
/// too long, is as if there were nothing, and after some in a row the tier is not asked for a while. So it is left alone
/// while it is slower than the origin.
package final class Tier: Sendable {
    /// What a question gave.
    enum Answer<Value: Sendable>: Sendable {
        case value(Value)
        /// The tier has no such thing.
        case nothing
        /// It cannot be asked now, or has failed.
        case unknown
    }

    /// What is asked of the store; each kind is left alone by itself, since a store may do one and not the other.
    enum Lane: Hashable, Sendable, CaseIterable {
        /// A descriptor, or which extents there are.
        case questions
        case extents
        /// What a writer writes, and asks for.
        case writes
    }

    /// What a descriptor said, and how long ago the origin had been heard to have it.
    struct Newest: Sendable {
        let description: ResourceDescription
        /// `nil`: nobody can tell.
        let age: Duration?
    }

    struct State {
        var breakers: [Lane: BreakerMachine] = [:]
        var hedge: HedgeMachine
        /// How soon origins answered lately.
        var paces: [String: OriginPace] = [:]
        /// Whether a probe is under way.
        var isProbing = false
        /// What descriptors said, or that there were none, and when.
        var descriptors: [String: (Newest?, Duration)] = [:]
        /// What is known to be there.
        var present: [TierGeneration: Set<Int>] = [:]
        /// Objects that were found to be wrong.
        var damaged: Set<String> = []
        /// What origins were heard to have, and when.
        var confirmed: [String: (ResourceDescription, Duration)] = [:]
        /// How many extents are read ahead.
        var readAheadCount = 0
    }

    /// How long a question may take.
    static let patience = Duration.seconds(2)
    /// How long an extent may take, to be read or written.
    static let extentPatience = Duration.seconds(10)
    /// How long the answer to a question for a descriptor holds.
    private static let descriptorLife = Duration.seconds(5)
    /// How many extents are read ahead of readers, for all of them.
    private static let mostReadAhead = 8
    /// How many resources are remembered; what is forgotten is asked for again.
    static let mostRemembered = 10_000
    /// For how many extents the origin may be asked beside the store beforehand.
    static let mostHedged: Int64 = 4

    let store: any ObjectStore
    let layout: ExtentLayout
    let timeline: Timeline
    /// Runs the tasks that it starts; `nil`: the default one.
    let executor: (any TaskExecutor)?
    /// Seconds since 1970.
    let now: @Sendable () -> Int64
    let observer: SourceObserver?
    let seal: TierSeal
    let state: Mutex<State>

    /// A tier.
    ///
    /// - Parameters:
    ///   - store: where objects are.
    ///   - secret: what the machines of the fleet share.
    ///   - clock: measures waits.
    ///   - now: the time of day, in seconds since 1970.
    ///   - observer: is told what the tier gives and takes.
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

    /// Which version of a resource is the newest, as far as the fleet knows.
    ///
    /// - Parameters:
    ///   - resource: what it is called.
    ///   - delay: after how long the store is later than the origin would be; `nil`: it is not compared.
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
            // Extents have gone before it, or go with it: what is known of them may be long ago.
            if found == nil {
                state.present = state.present.filter { $0.key.resource != resource }
            }
        }
        return found
    }

    /// What was said of a resource holds no longer: the origin has another version.
    func forget(_ resource: String) {
        self.state.withLock { state in
            state.descriptors[resource] = (nil, self.timeline.elapsed())
            state.confirmed[resource] = nil
        }
    }

    /// The bytes of an extent.
    ///
    /// - Returns: `nil` if it is not there, or cannot be had.
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
            // The object as it came, but for what stands before the content.
            return ByteMemory(owner: content, count: length) { content, body in
                content.withUnsafeBytes(body)
            }
        }
        guard case .value(let bytes) = answer else {
            self.state.withLock { state in
                // What is there, and not what it should be, is to be written, too.
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

    /// Which extents are there, from one on: as many as the store tells at once.
    ///
    /// - Parameters:
    ///   - generation: of which version.
    ///   - start: the first that is wanted.
    ///   - lane: who asks.
    ///   - delay: after how long the store is later than the origin would be; `nil`: it is not compared.
    /// - Returns: their numbers in order, and the number behind which nothing is known, if there is one.
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
        // What the store has let go is to be written again; what has come meanwhile is there.
        let gone = former.subtracting(numbers).filter { $0 >= start && $0 < end ?? .max }
        self.state.withLock { $0.present[generation]?.subtract(gone) }
        self.noteThere(numbers, of: generation)
        return (numbers, end)
    }

    /// Takes the right to read an extent ahead, to be given back with ``endReadAhead()``.
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

    /// Writes an extent, unless there is one.
    ///
    /// - Returns: whether it is there now.
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

    /// Writes which version of a resource is the newest.
    ///
    /// - Parameters:
    ///   - description: the version.
    ///   - heard: when an origin was heard to have it.
    ///   - resource: what has it.
    /// - Returns: whether it is there now.
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

    /// Whether the store was last heard to have no descriptor of a resource, or one of another version.
    func lacksDescriptor(of resource: String) -> Bool {
        self.state.withLock { state in
            guard let (known, _) = state.descriptors[resource] else { return false }
            return known == nil
        }
    }

    /// Whether an extent is known to be there.
    func isThere(_ number: Int, of generation: TierGeneration) -> Bool {
        self.state.withLock { $0.present[generation]?.contains(number) ?? false }
    }

    /// Whether anything of a version is known to be there, or has been asked for.
    func isKnown(_ generation: TierGeneration) -> Bool {
        self.state.withLock { $0.present[generation] != nil }
    }

    private func noteThere(_ numbers: [Int], of generation: TierGeneration) {
        self.state.withLock { state in
            if state.present[generation] == nil { state.present.makeRoom(Self.mostRemembered) }
            // An extent that was found to be wrong is still to be written.
            let sound = numbers.filter { number in
                state.damaged.isEmpty
                    || !state.damaged.contains(
                        TierKey.extent(number, of: generation, self.layout)
                    )
            }
            state.present[generation, default: []].formUnion(sound)
        }
    }

    // MARK: What origins have

    /// An origin was heard to have a resource, just now.
    func confirmed(_ resource: String, _ description: ResourceDescription) {
        guard description.validator != nil, description.length != nil,
            description.cacheDirectives?.forbidsStoring != true
        else { return }
        self.state.withLock { state in
            if state.confirmed[resource] == nil { state.confirmed.makeRoom(Self.mostRemembered) }
            state.confirmed[resource] = (description, self.timeline.elapsed())
        }
    }

    /// What an origin was last heard to have, and when.
    func confirmation(of resource: String) -> (description: ResourceDescription, heard: Duration)? {
        self.state.withLock { $0.confirmed[resource] }
    }
}

extension Dictionary {
    /// Forgets everything where there is no room for one more.
    mutating func makeRoom(_ limit: Int) {
        if self.count >= limit { self.removeAll() }
    }
}
