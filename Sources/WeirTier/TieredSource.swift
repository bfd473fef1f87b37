// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// An origin behind a tier: bytes come from the tier if the fleet has them, and else from the
/// origin.
///
/// A reader that names no version gets the newest one that the fleet knows. If the origin's
/// confirmation is older than ``freshness``, or than the version's cache directives allow, the
/// source asks the origin first. All bytes belong to one version, or the reading ends with
/// `changed` (law 2).
///
/// A reader waits for the tier as long as the origin recently took to answer. Then the origin is
/// asked as well, and the first answer is used (``Hedge``).
package final class TieredSource: ByteSource {
    /// How long an origin may take to confirm a version; after that, the tier's version is used.
    private static let patience = Duration.seconds(2)

    private let origin: any ByteSource
    private let resource: String
    /// The name of the origin with which the tier's pace is compared.
    private let originName: String
    private let tier: Tier
    /// The maximum age of the origin's confirmation; `nil` for any age.
    private let freshness: Duration?

    /// Creates a source with a tier in front of an origin.
    ///
    /// - Parameters:
    ///   - origin: the source of bytes that the tier lacks.
    ///   - resource: the identifier on all machines of the fleet: letters, digits and `-`.
    ///   - originName: the origin's name, the same for all its resources; `nil` if the resource has
    ///     its own origin.
    ///   - tier: the tier of the fleet.
    ///   - freshness: the maximum age of the origin's confirmation of the newest version; `nil` for
    ///     any age.
    package init(
        _ origin: any ByteSource,
        resource: String,
        originName: String? = nil,
        tier: Tier,
        freshness: Duration?
    ) {
        self.origin = origin
        self.resource = resource
        self.originName = originName ?? resource
        self.tier = tier
        self.freshness = freshness
    }

    /// Describes the resource, from the tier or the origin.
    package func describe() async throws -> ResourceDescription {
        let ask: @Sendable () async throws -> ResourceDescription = {
            try await self.timed { try await self.origin.describe() }
        }
        var hedge = Hedge(self.tier, origin: self.originName, byteCount: 0, ask: ask)
        let description: ResourceDescription
        switch try await self.newest(&hedge) {
        case .store(let known?): return known
        case .store(nil):
            let beside = hedge.beside ?? Pending(on: self.tier.executor, ask)
            description = try await beside.value(on: self.tier.timeline)
        case .origin(let heard): description = heard
        }
        self.tier.confirmed(self.resource, description)
        return description
    }

    /// Asks the origin.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        let isUnchanged = try await self.origin.isUnchanged(version)
        self.learned(isUnchanged, of: version)
        return isUnchanged
    }

    /// Reads bytes from the tier if it has them, and the others from the origin.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        var hedge = Hedge(
            self.tier,
            origin: self.originName,
            byteCount: self.tier.layout.size
        ) { try await self.readOrigin(demand) }
        let version: (TierGeneration, ResourceDescription)
        switch try await self.version(for: demand.version, &hedge) {
        case .store(nil): return try await self.readOrigin(demand, &hedge)
        case .origin(let reading): return self.continued(reading)
        case .store(let known?): version = known
        }
        let (generation, description) = version
        guard let range = demand.range.resolved(inLength: generation.length), !range.isEmpty else {
            return try await self.readOrigin(demand, &hedge)
        }
        let map: TierMap
        switch try await hedge.first(self.map(of: generation, from: range.lowerBound), .questions) {
        case .store(nil): return try await self.readOrigin(demand, &hedge)
        case .origin(let reading): return self.continued(reading)
        case .store(let known?): map = known
        }
        let producer = self.producer(range, of: generation, description.version)
        do {
            // Waits for the first bytes: a server must know that they are available before it
            // answers a player.
            if let reading = try await producer.begin(map, &hedge) {
                if demand.version == nil, !description.version.agrees(with: reading.resource) {
                    self.tier.forget(self.resource)
                    self.tier.confirmed(self.resource, reading.resource)
                }
                return reading
            }
        } catch let error as SourceError where error.code == .changed && demand.version == nil {
            self.tier.forget(self.resource)
            return try await self.readOrigin(demand)
        }
        return ByteReading(
            resource: producer.described ?? description,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: producer
        )
    }

    private func producer(
        _ range: Range<Int64>,
        of generation: TierGeneration,
        _ version: ReadDemand.Version
    ) -> TieredProducer {
        TieredProducer(
            range,
            of: generation,
            tier: self.tier,
            origin: { try await self.readOrigin($0) },
            originName: self.originName,
            version: version
        )
    }

    /// Continues a response of the origin while the tier is late; the tier supplies later bytes.
    private func continued(_ reading: ByteReading) -> ByteReading {
        guard let range = reading.range, !reading.coversWhole,
            let generation = TierGeneration(
                self.resource,
                reading.resource.validator,
                length: reading.resource.length
            )
        else { return reading }
        let producer = self.producer(range, of: generation, reading.resource.version)
        producer.begin(
            with: reading,
            self.map(of: generation, from: range.lowerBound)
        )
        return reading.replacing(producer: producer)
    }

    /// The version to read; `nil` if the tier has no version to offer.
    private func version(
        for version: ReadDemand.Version?,
        _ hedge: inout Hedge<ByteReading>
    ) async throws -> Hedge<ByteReading>.First<(TierGeneration, ResourceDescription)?> {
        guard !self.isLeftAlone else { return .store(nil) }
        let known: ResourceDescription?
        if let version {
            guard
                let generation = TierGeneration(
                    self.resource,
                    version.validator,
                    length: version.length
                )
            else { return .store(nil) }
            if let heard = self.tier.confirmation(of: self.resource)?.description {
                known = heard
            } else {
                switch try await hedge.first(self.descriptor(), .questions) {
                case .origin(let reading): return .origin(reading)
                case .store(let descriptor): known = descriptor?.description
                }
            }
            // The reader's version and length are enough for a description.
            let description =
                known.flatMap { version.agrees(with: $0) ? $0 : nil }
                ?? ResourceDescription(length: version.length, validator: version.validator)
            return .store((generation, description))
        }
        switch try await self.newest(&hedge) {
        case .origin(let reading): return .origin(reading)
        case .store(let description):
            return .store(
                description.flatMap { description in
                    TierGeneration(
                        self.resource,
                        description.validator,
                        length: description.length
                    ).map { ($0, description) }
                }
            )
        }
    }

    private func descriptor() -> Pending<Tier.Newest?> {
        let delay = self.tier.pace(of: self.originName).delay
        return Pending(on: self.tier.executor) { [tier, resource] in
            try await tier.descriptor(of: resource, lateAfter: delay)
        }
    }

    /// Whether the tier is paused now; if the pause is over, starts a probe.
    private var isLeftAlone: Bool {
        guard self.tier.isLeftAlone else { return false }
        self.tier.probeIfDue(self.resource, origin: self.originName)
        return true
    }

    /// The newest version in the tier, confirmed by the origin if necessary.
    private func newest<Answer: Sendable>(
        _ hedge: inout Hedge<Answer>
    ) async throws -> Hedge<Answer>.First<ResourceDescription?> {
        guard !self.isLeftAlone else { return .store(nil) }
        let descriptor: Tier.Newest
        switch try await hedge.first(self.descriptor(), .questions) {
        case .origin(let answer): return .origin(answer)
        case .store(nil): return .store(nil)
        case .store(let known?): descriptor = known
        }
        let description = descriptor.description
        let limit = [self.freshness, description.cacheDirectives?.freshness]
            .compactMap(\.self).min()
        guard let limit, self.freshness != nil else { return .store(description) }
        var age = descriptor.age
        if let known = self.tier.confirmation(of: self.resource),
            known.description.validator == description.validator
        {
            let time = self.tier.timeline.elapsed() - known.heard
            age = min(age ?? time, time)
        }
        // A version of unknown age counts as old.
        if let age, age < limit { return .store(description) }
        // A request to the origin is already running.
        if let beside = hedge.beside {
            let timeline = self.tier.timeline
            if let answer = try? await beside.value(on: timeline) { return .origin(answer) }
            try Task.checkCancellation()
        }
        switch try await self.asked(description.version) {
        case true?:
            self.tier.confirmed(self.resource, description)
            return .store(description)
        case nil: return .store(description)
        case false?:
            self.tier.forget(self.resource)
            return .store(nil)
        }
    }

    /// Whether the origin still has a version; `nil` if it does not answer in time.
    ///
    /// - Throws: the origin's error if it denies the resource; `CancellationError`.
    private func asked(_ version: ReadDemand.Version) async throws -> Bool? {
        do {
            let isUnchanged = try await withThrowingTaskGroup(of: Bool?.self) {
                [origin, timeline = self.tier.timeline] group in
                defer { group.cancelAll() }
                group.addTask { try await origin.isUnchanged(version) }
                group.addTask {
                    try await timeline.sleep(Self.patience)
                    return nil
                }
                return try await group.next() ?? nil
            }
            if let isUnchanged { self.learned(isUnchanged, of: version) }
            return isUnchanged
        } catch let error as SourceError {
            switch error.code {
            case .unauthorized, .forbidden, .notFound: throw error
            default: return nil
            }
        }
    }

    private func learned(_ isUnchanged: Bool, of version: ReadDemand.Version) {
        guard isUnchanged else { return self.tier.forget(self.resource) }
        let known = self.tier.confirmation(of: self.resource)?.description
        if let known, version.validator == known.validator {
            self.tier.confirmed(self.resource, known)
        }
    }

    /// The list of extents from a byte on; `nil` if there are none, or the list is unavailable.
    private func map(of generation: TierGeneration, from offset: Int64) -> Pending<TierMap?> {
        let delay = self.tier.pace(of: self.originName).delay
        let start = self.tier.layout.number(of: offset)
        return Pending(on: self.tier.executor) { [tier] in
            guard
                let (numbers, end) = try await tier.numbers(
                    of: generation,
                    from: start,
                    lateAfter: delay
                ), !numbers.isEmpty
            else { return nil }
            return TierMap(there: Set(numbers), end: end)
        }
    }

    /// Reads the origin, or uses the running request for the same bytes.
    private func readOrigin(
        _ demand: ReadDemand,
        _ hedge: inout Hedge<ByteReading>
    ) async throws -> ByteReading {
        guard let beside = hedge.beside else { return try await self.readOrigin(demand) }
        return try await beside.value(on: self.tier.timeline)
    }

    private func readOrigin(_ demand: ReadDemand) async throws -> ByteReading {
        let reading = try await self.timed { try await self.origin.read(demand) }
        self.tier.confirmed(self.resource, reading.resource)
        return reading
    }

    /// Asks the origin, and notes its response time.
    private func timed<Answer>(_ ask: () async throws -> Answer) async throws -> Answer {
        let timeline = self.tier.timeline
        let began = timeline.elapsed()
        let answer = try await ask()
        self.tier.note(self.originName) { $0.answered(after: timeline.elapsed() - began) }
        return answer
    }
}

/// The extents of a version that the store has listed.
struct TierMap: Sendable {
    /// The numbers of the extents.
    let there: Set<Int>
    /// The number from which on the extents are unknown; `nil` if the list is complete.
    let end: Int?

    /// Whether to ask the tier for an extent.
    func mayHave(_ number: Int) -> Bool {
        self.there.contains(number) || self.end.map { number >= $0 } ?? false
    }

    /// The next extent to ask the tier for, from a number on.
    func next(from number: Int) -> Int? {
        let known = self.there.filter { $0 >= number }.min()
        guard let end else { return known }
        return min(known ?? .max, max(end, number))
    }
}
