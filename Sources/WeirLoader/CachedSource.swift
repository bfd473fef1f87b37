// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirCache
package import WeirSource

/// A source that joins an origin to a cache, and fills the cache's holes.
///
/// Any number of readers share it. While a generation holds a byte, that byte is not fetched again.
/// Readers follow the writer, and get a byte as soon as it is written. The newest reader is served
/// first. When the last reader has gone, fetching stops. If the cache fails, bytes come directly
/// from the origin.
package final class CachedSource: ByteSource {
    let loader: ResourceLoader
    private let current = CurrentGeneration()
    private let policy: LoadPolicy
    /// Whether the policy keeps more of a resource than the played bytes.
    private let prefetches: Bool

    /// Puts a cache in front of an origin.
    ///
    /// - Parameters:
    ///   - origin: the source of missing bytes.
    ///   - key: the resource's name in the cache.
    ///   - cache: the cache that stores the bytes.
    ///   - policy: which bytes to fetch, and when.
    ///   - clock: measures the linger time.
    ///   - observer: receives an event when the resource has changed, and when the cache cannot
    ///     keep bytes.
    package init(
        origin: any ByteSource,
        key: ResourceKey,
        cache: Cache,
        policy: LoadPolicy = LoadPolicy(),
        clock: any Clock<Duration> = ContinuousClock(),
        observer: SourceObserver? = nil
    ) {
        self.policy = policy
        self.prefetches = policy.prefetch != .nothing
        self.loader = ResourceLoader(
            key: key,
            origin: origin,
            cache: cache,
            policy: policy,
            clock: clock,
            observer: observer,
            current: self.current
        )
    }

    /// Describes the resource: from the cache, or else from its first 512 bytes.
    ///
    /// These bytes distinguish a web page from media.
    package func describe() async throws -> ResourceDescription {
        try Task.checkCancellation()
        try await self.loader.confirm(before: nil)
        let known = try await self.loader.adoptedGeneration()?.description
        if let known, known.length != nil { return known }
        let id = try await self.loader.enter(.head)
        do {
            let description = try await self.loader.description(for: id)
            await self.loader.depart(id)
            if let description { return description }
            return try await self.loader.origin.describe()
        } catch {
            await self.loader.depart(id)
            throw error
        }
    }

    /// Asks the origin.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.loader.origin.isUnchanged(version)
    }

    /// Starts a reading: held bytes come from the disk, the others as they arrive.
    ///
    /// If the origin reports a change before the first byte, the new version is read, unless the
    /// demand names the old version.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        do {
            return try await self.readOnce(demand)
        } catch let error as SourceError where error.code == .changed && demand.version == nil {
            return try await self.readOnce(demand)
        }
    }

    private func readOnce(_ demand: ReadDemand) async throws -> ByteReading {
        try Task.checkCancellation()
        try await self.loader.confirm(before: demand.range)
        if await self.loader.isForbidden { return try await self.loader.origin.read(demand) }
        if let reading = try await self.readWithoutOrigin(demand) { return reading }
        let id = try await self.loader.enter(demand.range)
        do {
            guard let description = try await self.loader.description(for: id) else {
                await self.loader.depart(id)
                return try await self.loader.origin.read(demand)
            }
            try CachedSource.check(description, against: demand.version)
            let lower: Int64
            let upper: Int64?
            if let length = description.length {
                guard let range = demand.range.resolved(inLength: length) else {
                    throw SourceError.pastTheEnd(demand.range, length: length)
                }
                (lower, upper) = (range.lowerBound, range.upperBound)
            } else {
                (lower, upper) = (demand.range.knownLowerBound ?? 0, nil)
            }
            // A front end that starts to send these bytes must know that they are available.
            let producer = FollowingProducer(
                loader: self.loader,
                id: id,
                position: lower,
                start: lower
            )
            try await producer.begin()
            return ByteReading(
                resource: description,
                lowerBound: lower,
                upperBound: upper,
                producer: producer
            )
        } catch {
            await self.loader.depart(id)
            throw error
        }
    }

    /// The bytes on the disk, as far as the current generation holds them.
    ///
    /// - Returns: `nil` if the generation has no slice of the range, and in three other cases: the
    ///   origin must first confirm the bytes; few held bytes precede a hole, so that a reading
    ///   waits for the origin's response; the policy keeps more bytes than the cache holds, and
    ///   only a reading fetches them.
    package func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        guard self.current.isFresh(by: self.policy), let generation = self.current.generation,
            !self.lacksWhatIsKept(generation), let slice = generation.slice(range),
            !self.awaitsAnswer(slice, in: range, of: generation)
        else { return nil }
        return slice
    }

    /// Whether a range begins with few held bytes before a hole.
    ///
    /// The origin's response about the hole must then come before the bytes leave.
    private func awaitsAnswer(
        _ slice: ResidentSlice,
        in range: RequestedRange,
        of generation: Generation
    ) -> Bool {
        // A slice may end before its run does, at a block that was not compared yet.
        guard slice.range.upperBound != range.knownUpperBound,
            let wanted = range.resolved(inLength: slice.resource.length ?? 0),
            slice.range.upperBound < wanted.upperBound
        else { return false }
        return self.policy.hole(behindFewHeldOf: wanted, in: generation) != nil
            && !self.current.isLeftAlone
    }

    /// Whether the policy keeps more of the resource than the cache holds.
    private func lacksWhatIsKept(_ generation: Generation) -> Bool {
        guard self.prefetches, let length = generation.description.length else { return false }
        let end = self.policy.prefetch.fillEnd(inLength: length)
        return end > 0 && generation.held.firstMissing(in: 0..<end) != nil
    }

    /// Opens the cached generation; the policy decides whether the origin must confirm it before it
    /// is used.
    ///
    /// Compares the bytes of a small resource, of at most 64 KiB, with their checksums. Then
    /// ``residentSlice(_:)`` has them, and no reading is necessary.
    package func openHeld() async {
        var generation = self.current.generation
        if generation == nil { generation = try? await self.loader.adoptedGeneration() }
        guard let generation, let length = generation.description.length,
            length <= Self.smallLength
        else { return }
        await Self.compare(generation, length)
    }

    /// Reads the disk, and therefore not on the actor of the caller.
    @concurrent
    private static func compare(_ generation: Generation, _ length: Int64) async {
        _ = try? generation.checkedSlice(at: 0, before: length)
    }

    /// The most bytes of a resource that is compared as a whole when it is opened: 64 KiB.
    private static let smallLength: Int64 = 64 << 10

    /// How long ago the origin confirmed the current generation.
    package var timeSinceConfirmation: Duration? { self.current.timeSinceConfirmation }

    /// The bytes on the disk.
    package var availability: Availability {
        self.current.availability
    }

    /// The bytes on the disk, now and after each new piece.
    package func availabilityChanges() -> AsyncStream<Availability> {
        self.current.changes()
    }

    /// Ends all requests, and all readers with `SourceError.Code.closed`.
    package func close() async {
        await self.loader.close()
    }

    /// Serves a demand that needs no byte from the origin: an empty, impossible or completely
    /// cached range.
    ///
    /// - Returns: `nil` if the demand may need the origin.
    private func readWithoutOrigin(_ demand: ReadDemand) async throws -> ByteReading? {
        var generation = self.current.generation
        if generation == nil { generation = try await self.loader.adoptedGeneration() }
        if generation == nil, demand.range.isEmpty { return try await self.readNothing(demand) }
        guard let generation else { return nil }
        let description = generation.description
        guard let length = description.length else { return nil }
        try CachedSource.check(description, against: demand.version)
        guard let range = demand.range.resolved(inLength: length) else {
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        if range.isEmpty { return .empty(description, at: range.lowerBound) }
        guard generation.holds(range), !self.lacksWhatIsKept(generation) else { return nil }
        // A front end that starts to send these bytes must know that they are available.
        let producer = ResidentProducer(
            generation: generation,
            range: range,
            maximumChunk: self.policy.maximumChunk,
            loader: self.loader
        )
        let first = try? generation.checkedChunk(at: range.lowerBound, before: range.upperBound)
        guard first != nil else { return nil }
        return ByteReading(
            resource: description,
            lowerBound: range.lowerBound,
            upperBound: range.upperBound,
            producer: producer
        )
    }

    /// Reads an empty range of a resource that is not known yet.
    private func readNothing(_ demand: ReadDemand) async throws -> ByteReading {
        let description = try await self.describe()
        try CachedSource.check(description, against: demand.version)
        let offset = demand.range.knownLowerBound ?? description.length ?? 0
        if let length = description.length, offset > length {
            throw SourceError.pastTheEnd(demand.range, length: length)
        }
        return .empty(description, at: offset)
    }

    private static func check(
        _ description: ResourceDescription,
        against version: ReadDemand.Version?
    )
        throws
    {
        guard let version, !version.agrees(with: description) else { return }
        throw SourceError(
            .changed,
            "The resource changed while it was being read; play it again to get the new one."
        )
    }
}
