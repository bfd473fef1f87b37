// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
package import WeirLoader
package import WeirSource

/// A resource that the owner of the cache directory keeps: this process, or another process.
///
/// Readers do not notice a change of the owner: the next owner supplies the remaining bytes of the
/// same generation. If the next owner cannot, the reading ends with `SourceError.Code.changed`. If
/// no directory can be used, bytes come directly from the origin.
package final class SharedSource: ByteSource {
    /// How often in a row a reading may break off, without a byte in between, before it fails.
    private static let attempts = 20

    private struct Owned {
        let owner: CacheOwner
        let resource: OwnedResource
        let lease: OriginPool.OriginLease
    }

    private struct State {
        var owned: Owned?
        var connection: OwnerConnection?
        /// The reason for closing; `nil` while the source is open.
        var closingError: SourceError?
    }

    private let name: SharedResource
    private let policy: LoadPolicy
    private let origin: any ByteSource
    private let access: CacheAccess
    private let state = Mutex(State())
    private let readings = ByteReading.Registry()
    private let connections = Shared<OwnerConnection>()
    /// Raised once, when the source is closed.
    private let closing = Signal()

    /// Creates a source, without asking the origin.
    ///
    /// - Parameters:
    ///   - name: the resource.
    ///   - policy: which bytes to fetch, and when. While other users play the resource, the first
    ///     user's policy applies.
    ///   - origin: the source of missing bytes.
    ///   - access: the access to the cache.
    package init(
        _ name: SharedResource,
        policy: LoadPolicy,
        origin: any ByteSource,
        access: CacheAccess
    ) {
        self.name = name
        self.policy = policy
        self.origin = origin
        self.access = access
    }

    /// Describes the resource, without its bytes.
    package func describe() async throws -> ResourceDescription {
        try await self.withOwner { try await $0.describe() }
    }

    /// Asks the origin of this process whether the resource is still the given version.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.origin.isUnchanged(version)
    }

    /// Starts a reading.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        let reading = try await self.start(demand)
        let shared = reading.replacing(producer: SharedProducer(reading, source: self))
        self.readings.add(shared)
        return shared
    }

    /// Starts a reading from the process that owns the directory now.
    fileprivate func start(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.withOwner { try await $0.read(demand) }
    }

    /// Returns bytes on the disk, if this process owns the directory.
    package func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        let resource = self.state.withLock { $0.owned?.resource }
        return resource?.cached.residentSlice(range)
    }

    /// Opens the cached bytes, or asks the other process that owns the directory for the held
    /// ranges.
    ///
    /// Bytes of another process cannot be lent, but ``availability`` includes them.
    package func openHeld() async {
        try? await self.reach { state in
            switch state {
            case .owning(let owner): try await self.owned(by: owner).cached.openHeld()
            // Throws when the owner goes, so that the next owner is asked.
            case .using: try await self.connection().askHeld()
            case .without: await self.origin.openHeld()
            case .opening, .closed: throw Self.closedError
            }
        }
    }

    /// How long ago the origin confirmed the cached bytes, if this process owns the directory.
    package var timeSinceConfirmation: Duration? {
        let resource = self.state.withLock { $0.owned?.resource }
        return resource?.cached.timeSinceConfirmation
    }

    /// The held bytes, as far as this process knows.
    package var availability: Availability {
        let (owned, connection) = self.state.withLock { ($0.owned, $0.connection) }
        let nothing = Availability(held: RangeSet(), length: nil)
        guard let owner = self.access.owner, !self.isClosed else {
            return connection?.availability ?? nothing
        }
        let resource = owned?.owner === owner ? owned?.resource : owner.resource(self.name)
        return resource?.cached.availability ?? nothing
    }

    /// The held bytes, now and after each change, until the source is closed.
    package func availabilityChanges() -> AsyncStream<Availability> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Availability.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        continuation.yield(self.availability)
        // Owned by the stream, which cancels it.
        let task = Task { [weak self, access, closing] in
            while !Task.isCancelled {
                let count = access.changes.count
                guard let (changes, user) = await self?.currentChanges() else { break }
                await withTaskGroup(of: Bool.self) { [weak self] group in
                    group.addTask { [weak self] in
                        for await availability in changes { continuation.yield(availability) }
                        // The connection has ended; the next owner reports further changes.
                        if let user, !Task.isCancelled, self?.isClosed == false {
                            access.report(.ownerLost(user))
                        }
                        return false
                    }
                    group.addTask { (try? await access.changes.wait(after: count)) != nil }
                    group.addTask { (try? await closing.wait(after: 0)) != nil }
                    while await group.next() == false {}
                    group.cancelAll()
                }
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Ends the source's readers with an error; later readers get the same error.
    ///
    /// Other users of the resource go on.
    ///
    /// - Parameter error: the reason, with `SourceError.Code.closed`.
    package func close(throwing error: SourceError = SharedSource.closedError) async {
        let owned = self.state.withLock { state in
            state.closingError = state.closingError ?? error
            defer { (state.owned, state.connection) = (nil, nil) }
            return state.owned
        }
        self.readings.close(throwing: error)
        await self.connections.forget()
        self.closing.raise()
        if let owned, owned.resource.removeUser() {
            await owned.owner.end(owned.resource, self.name)
        }
    }

    deinit {
        if let owned = self.state.withLock({ $0.owned }) { _ = owned.resource.removeUser() }
        self.closing.raise()
    }

    /// The error for readers of a closed source.
    package static let closedError = SourceError(
        .closed,
        "The source was closed while it was read; open it again."
    )

    private var isClosed: Bool { self.state.withLock { $0.closingError != nil } }

    /// The reason for closing; `nil` while the source is open.
    private var closingError: SourceError? { self.state.withLock { $0.closingError } }

    /// Asks the process that owns the directory; asks again after that process has gone and another
    /// owns it.
    ///
    /// - Parameter body: the question, to the loader of this process or the connection to another
    ///   process. If no directory can be used, the question goes to the origin.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`; `SourceError` if the source is closed, or every process
    ///   breaks off.
    func withOwner<Result>(
        _ body: (any ByteSource) async throws -> Result
    ) async throws -> Result {
        try await self.reach { state in
            switch state {
            case .owning(let owner): try await body(self.owned(by: owner).cached)
            case .using: try await body(self.connection())
            case .without: try await body(self.origin)
            case .opening, .closed: throw Self.closedError
            }
        }
    }

    /// Calls the access's `reach`, while the source is open.
    private func reach<Result>(
        _ body: (CacheAccess.Machine.State) async throws -> Result
    ) async throws -> Result {
        do {
            return try await self.access.reach(attempts: Self.attempts) { state in
                if let closingError { throw closingError }
                return try await body(state)
            }
        } catch is PeerError {
            throw SourceError(.cacheFailed, self.access.lostError.message)
        }
    }

    /// The resource in this process, which from now on uses the origin of this source.
    private func owned(by owner: CacheOwner) throws(SourceError) -> OwnedResource {
        let (resource, former) = try self.state.withLock { state throws(SourceError) in
            if let closingError = state.closingError { throw closingError }
            if let owned = state.owned, owned.owner === owner {
                return (owned.resource, nil as Owned?)
            }
            let resource = owner.resource(self.name, policy: self.policy)
            resource.addUser()
            let former = state.owned
            state.owned = Owned(
                owner: owner,
                resource: resource,
                lease: resource.origin.lend(self.origin)
            )
            state.connection = nil
            return (resource, former)
        }
        if let former { _ = former.resource.removeUser() }
        return resource
    }

    /// The connection to the process that owns the directory.
    func connection() async throws -> OwnerConnection {
        if let closingError { throw closingError }
        let connection = try await self.connections.value(
            isGood: { $0.isAlive },
            make: { [name, policy, origin, address = self.access.address] in
                try await OwnerConnection(address, name, policy: policy, origin: origin)
            }
        )
        self.access.learned(connection.limits)
        let closingError = self.state.withLock { state in
            if state.closingError == nil { state.connection = connection }
            return state.closingError
        }
        if let closingError {
            await self.connections.forget()
            throw closingError
        }
        return connection
    }

    /// The held bytes, as the present owner reports them, and the owner's number if it is another
    /// process.
    ///
    /// `nil` when the source is closed.
    private func currentChanges() async -> (AsyncStream<Availability>, user: Int?)? {
        do {
            return try await self.reach { state in
                switch state {
                case .owning(let owner):
                    (try self.owned(by: owner).cached.availabilityChanges(), nil)
                case .using(let number, _):
                    (try await self.connection().availabilityChanges(), number)
                case .without: (AsyncStream { $0.finish() }, nil)
                case .opening, .closed: throw Self.closedError
                }
            }
        } catch let error as SourceError where error.code != .closed {
            return (AsyncStream { $0.finish() }, nil)
        } catch {
            return nil
        }
    }
}

/// Yields a reading, and its rest from another owner of the directory after the first has gone.
private final class SharedProducer: ChunkProducer {
    private struct State {
        /// `nil` when the reading has ended.
        var iterator: ByteReading.AsyncIterator?
        var position: Int64
        var isCancelled = false
    }

    private let description: ResourceDescription
    private let upperBound: Int64?
    private let source: SharedSource
    private let state: Mutex<State>

    init(_ reading: ByteReading, source: SharedSource) {
        self.description = reading.resource
        self.upperBound = reading.upperBound
        self.source = source
        self.state = Mutex(
            State(iterator: reading.makeAsyncIterator(), position: reading.lowerBound)
        )
    }

    func next() async throws -> ByteChunk? {
        while true {
            let (iterator, position) = self.state.withLock { ($0.iterator, $0.position) }
            guard let iterator else { throw CancellationError() }
            do {
                guard let chunk = try await iterator.next() else { return nil }
                self.state.withLock { $0.position = chunk.range.upperBound }
                return chunk
            } catch is PeerError {
                guard position < self.upperBound ?? .max else { return nil }
                try await self.resume(at: position)
            }
        }
    }

    func cancel() {
        let iterator = self.state.withLock { state in
            state.isCancelled = true
            defer { state.iterator = nil }
            return state.iterator
        }
        iterator?.cancel()
    }

    /// Continues the reading with the present owner, after the last byte that arrived.
    private func resume(at position: Int64) async throws {
        let rest: RequestedRange = self.upperBound.map { .span(position..<$0) } ?? .from(position)
        let reading = try await self.source.start(
            ReadDemand(rest, version: self.description.version)
        )
        let generation = self.description.generation
        guard
            self.description.validator != nil
                || generation != nil && generation == reading.resource.generation,
            reading.lowerBound == position,
            self.upperBound == nil || reading.upperBound == self.upperBound
        else {
            throw SourceError(
                .changed,
                "The rest could not be read from the process that now owns the cache, because it may be of another version; play it again."
            )
        }
        let iterator = reading.makeAsyncIterator()
        self.state.withLock { state in
            if !state.isCancelled { state.iterator = iterator }
        }
    }
}
