// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// An origin behind a tier: what the fleet has is read there, the rest from the origin.
///
/// A reader that names no version gets the newest that the fleet knows, if the origin was heard to have it not longer ago
/// than ``freshness``; else the origin is asked first whether it still does. Runs of both are one version's, or the reading
/// ends with `changed` (law 2).
package final class TieredSource: ByteSource {
    /// How long an origin may take to say whether it has a version; later the tier's word is good enough.
    private static let patience = Duration.seconds(2)

    private let origin: any ByteSource
    private let resource: String
    private let tier: Tier
    /// How old the news of the origin may be; `nil`: of any age.
    private let freshness: Duration?

    /// Puts a tier in front of an origin.
    ///
    /// - Parameters:
    ///   - origin: where bytes come from that the tier has not.
    ///   - resource: what all machines of the fleet call it: letters, digits and `-`.
    ///   - tier: what the fleet shares.
    ///   - freshness: how old the news of the origin may be that a version is its newest; `nil`: of any age.
    package init(
        _ origin: any ByteSource,
        resource: String,
        tier: Tier,
        freshness: Duration?
    ) {
        self.origin = origin
        self.resource = resource
        self.tier = tier
        self.freshness = freshness
    }

    /// What the fleet knows, or the origin says.
    package func describe() async throws -> ResourceDescription {
        if let known = try await self.newest() { return known.description }
        let description = try await self.origin.describe()
        self.tier.confirmed(self.resource, description)
        return description
    }

    /// Asks the origin.
    package func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        let isUnchanged = try await self.origin.isUnchanged(pin)
        self.learned(isUnchanged, of: pin)
        return isUnchanged
    }

    /// Reads what the tier has there, and the rest from the origin.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard let (generation, description) = try await self.version(for: demand.pin),
            let range = demand.range.resolved(inLength: generation.length), !range.isEmpty,
            let map = try await self.map(of: generation, from: range.lowerBound)
        else { return try await self.readOrigin(demand) }
        let producer = TieredProducer(
            range,
            of: generation,
            map,
            tier: self.tier,
            origin: { try await self.readOrigin($0) },
            pin: description.pin
        )
        do {
            // Who answers a player with this must know that it can be had.
            try await producer.begin()
        } catch let error as SourceError where error.code == .changed && demand.pin == nil {
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

    /// The version that is to be read; `nil` where the tier cannot know of one.
    private func version(
        for pin: ReadDemand.Pin?
    ) async throws -> (TierGeneration, ResourceDescription)? {
        if let pin {
            guard let generation = TierGeneration(self.resource, pin.validator, length: pin.length)
            else { return nil }
            var known = self.tier.confirmation(of: self.resource)?.description
            if known == nil {
                known = try await self.tier.descriptor(of: self.resource)?.description
            }
            // Of a version that is pinned, what else is known of it is known to who pins it.
            let description =
                known.flatMap { pin.agrees(with: $0) ? $0 : nil }
                ?? ResourceDescription(length: pin.length, validator: pin.validator)
            return (generation, description)
        }
        guard let newest = try await self.newest() else { return nil }
        let description = newest.description
        return TierGeneration(self.resource, description.validator, length: description.length)
            .map { ($0, description) }
    }

    /// The newest version, if the tier knows one that may be given without the origin's word, or with it.
    private func newest() async throws -> TierDescriptor? {
        guard let descriptor = try await self.tier.descriptor(of: self.resource) else { return nil }
        let limit = [self.freshness, descriptor.description.cacheDirectives?.freshness]
            .compactMap(\.self).min()
        guard let limit, self.freshness != nil else { return descriptor }
        let known = self.tier.confirmation(of: self.resource)
        let isSame = known?.description.validator == descriptor.description.validator
        let confirmed = max(descriptor.confirmed, isSame ? known?.confirmed ?? 0 : 0)
        // A clock that is ahead of the one that wrote it makes nothing fresh.
        let age = Duration.seconds(max(0, self.tier.now().subtractingClamped(confirmed)))
        guard age >= limit else { return descriptor }
        switch try await self.asked(descriptor.description.pin) {
        case true?, nil: return descriptor
        case false?:
            self.tier.forget(self.resource)
            return nil
        }
    }

    /// Whether the origin still has a version; `nil` if it does not say so in time.
    ///
    /// - Throws: where it says that the resource is not to be had; `CancellationError`.
    private func asked(_ pin: ReadDemand.Pin) async throws -> Bool? {
        do {
            let isUnchanged = try await withThrowingTaskGroup(of: Bool?.self) {
                [origin, timeline = self.tier.timeline] group in
                defer { group.cancelAll() }
                group.addTask { try await origin.isUnchanged(pin) }
                group.addTask {
                    try await timeline.sleep(Self.patience)
                    return nil
                }
                return try await group.next() ?? nil
            }
            if let isUnchanged { self.learned(isUnchanged, of: pin) }
            return isUnchanged
        } catch let error as SourceError {
            switch error.code {
            case .unauthorized, .forbidden, .notFound: throw error
            default: return nil
            }
        }
    }

    private func learned(_ isUnchanged: Bool, of pin: ReadDemand.Pin) {
        guard isUnchanged else { return self.tier.forget(self.resource) }
        let known = self.tier.confirmation(of: self.resource)?.description
        if let known, pin.validator == known.validator {
            self.tier.confirmed(self.resource, known)
        }
    }

    /// Where extents are, from a byte on; `nil` where there are none, or it cannot be known.
    private func map(of generation: TierGeneration, from offset: Int64) async throws -> TierMap? {
        let start = self.tier.layout.number(of: offset)
        guard let (numbers, end) = try await self.tier.numbers(of: generation, from: start),
            !numbers.isEmpty
        else { return nil }
        return TierMap(there: Set(numbers), end: end)
    }

    private func readOrigin(_ demand: ReadDemand) async throws -> ByteReading {
        let reading = try await self.origin.read(demand)
        self.tier.confirmed(self.resource, reading.resource)
        return reading
    }
}

/// Which extents of a version are there, as the store has told.
struct TierMap: Sendable {
    /// Their numbers.
    let there: Set<Int>
    /// From which on nothing is known; `nil`: these are all.
    let end: Int?

    /// Whether an extent is worth a question.
    func mayHave(_ number: Int) -> Bool {
        self.there.contains(number) || self.end.map { number >= $0 } ?? false
    }

    /// The next extent from one on that is worth a question.
    func next(from number: Int) -> Int? {
        let known = self.there.filter { $0 >= number }.min()
        guard let end else { return known }
        return min(known ?? .max, max(end, number))
    }
}
