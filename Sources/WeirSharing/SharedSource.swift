// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
package import WeirLoader
package import WeirSource

/// A resource that is kept by the owner of the cache directory: by this process, or by another one that is asked.
///
/// Readers do not notice when the owner changes: the bytes that they have not read yet are read from the next one, of
/// the same generation, or the reading ends with `SourceError.Code.changed`. Where no directory can be used, bytes come
/// straight from the origin.
package final class SharedSource: ByteSource {
    /// How often in a row a reading may break off, without a byte between, before it fails.
    private static let attempts = 20

    private struct Owned {
        let owner: CacheOwner
        let resource: OwnedResource
        let lease: OriginPool.OriginLease
    }

    private struct State {
        var owned: Owned?
        var connection: OwnerConnection?
        /// Why the source is closed, once it is.
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

    /// A source of a resource; nothing is asked of the origin yet.
    ///
    /// - Parameters:
    ///   - name: which resource.
    ///   - policy: what is fetched and when; while others play the resource, the policy of the first of them holds.
    ///   - origin: where missing bytes come from.
    ///   - access: the way to the cache.
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

    /// Tells what the resource is, without its bytes.
    package func describe() async throws -> ResourceDescription {
        try await self.reach { state in
            switch state {
            case .owning(let owner): try await self.owned(by: owner).cached.describe()
            case .using: try await self.connection().describe()
            case .without: try await self.origin.describe()
            case .opening, .closed: throw Self.closedError
            }
        }
    }

    /// Asks the origin of this process whether the resource is still the given version.
    package func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.origin.isUnchanged(version)
    }

    /// Starts to read.
    package func read(_ demand: ReadDemand) async throws -> ByteReading {
        let reading = try await self.start(demand)
        let shared = reading.replacing(producer: SharedProducer(reading, source: self))
        self.readings.add(shared)
        return shared
    }

    /// Starts to read, from the process that owns the directory now.
    fileprivate func start(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.reach { state in
            switch state {
            case .owning(let owner): try await self.owned(by: owner).cached.read(demand)
            case .using: try await self.connection().read(demand)
            case .without: try await self.origin.read(demand)
            case .opening, .closed: throw Self.closedError
            }
        }
    }

    /// Lends what lies on disk, where this process owns the directory.
    package func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        let resource = self.state.withLock { $0.owned?.resource }
        return resource?.cached.residentSlice(range)
    }

    /// Opens the cached bytes, where this process owns the directory; asks the owner which bytes are held, where it does
    /// not.
    ///
    /// What another process holds is not lent, but ``availability`` tells of it.
    package func openHeld() async {
        try? await self.reach { state -> Void in
            switch state {
            case .owning(let owner): try await self.owned(by: owner).cached.openHeld()
            case .using: try await self.connection().askHeld()
            case .without: break
            case .opening, .closed: throw Self.closedError
            }
        }
    }

    /// How long ago the origin was last heard to have the cached bytes, where this process owns the directory.
    package var timeSinceConfirmation: Duration? {
        let resource = self.state.withLock { $0.owned?.resource }
        return resource?.cached.timeSinceConfirmation
    }

    /// Which bytes are held, as far as this process was told.
    package var availability: Availability {
        if let owner = self.access.owner, let resource = try? self.owned(by: owner) {
            return resource.cached.availability
        }
        let connection = self.state.withLock { $0.connection }
        return connection?.availability ?? Availability(held: RangeSet(), length: nil)
    }

    /// Which bytes are held, now and after each change, until the source is closed.
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
                        // The connection has ended: the next owner tells the rest.
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

    /// Ends its readers with an error; later ones fail likewise.
    ///
    /// Others that play the resource go on.
    ///
    /// - Parameter error: says why, with `SourceError.Code.closed`.
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

    /// What a reader of a closed source gets.
    package static let closedError = SourceError(
        .closed,
        "The source was closed while it was read; open it again."
    )

    private var isClosed: Bool { self.state.withLock { $0.closingError != nil } }

    /// Why the source is closed; `nil` while it is open.
    private var closingError: SourceError? { self.state.withLock { $0.closingError } }

    /// Asks the process that owns the directory; again when the owner has gone, as soon as there is another.
    func reach<Result>(
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

    /// The resource as this process keeps it, with the origin of this source from now on.
    func owned(by owner: CacheOwner) throws(SourceError) -> OwnedResource {
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

    /// Which bytes are held, as the process tells that owns the directory now, and the number of that owner if it is
    /// another process; `nil` when the source is closed.
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

/// Yields a reading, and the rest of it from another owner of the directory when the first has gone.
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

    /// Reads on where the bytes stopped.
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
                "The rest could not be had from the process that now owns the cache, since nothing tells whether it is of the same version; play it again."
            )
        }
        let iterator = reading.makeAsyncIterator()
        self.state.withLock { state in
            if !state.isCancelled { state.iterator = iterator }
        }
    }
}
