// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirHTTP
import WeirLoader
import WeirSource

/// A resource that is kept, whoever owns the cache directory: this process, or another one that is asked.
///
/// Readers do not notice when the owner changes: what they have not read yet is read from the next one, of the same
/// generation, or ends with `SourceError.Code.changed`. Where no directory can be used, bytes come straight from
/// the origin.
final class SharedSource: ByteSource {
    /// How often in a row a reading may break off, without a byte between, before it fails.
    private static let attempts = 20

    private struct Owned {
        let owner: CacheOwner
        let source: KeptSource
        let lease: OriginPool.OriginLease
    }

    private struct State {
        var owned: Owned?
        var line: UseLine?
        var isClosed = false
        var lastReader = 0
        var readers: [Int: WeakReader] = [:]
    }

    private struct WeakReader {
        weak var producer: SharedProducer?
    }

    private let name: KeptSource.Name
    private let policy: LoadPolicy
    private let origin: any ByteSource
    private let access: CacheAccess
    private let state = Mutex(State())
    private let lines = Shared<UseLine>()

    /// - Parameters:
    ///   - name: which resource.
    ///   - policy: what is fetched and when, unless it is played already by somebody who wants it otherwise.
    ///   - origin: where missing bytes come from.
    ///   - access: the way to the cache.
    init(
        _ name: KeptSource.Name,
        policy: LoadPolicy,
        origin: any ByteSource,
        access: CacheAccess
    ) {
        self.name = name
        self.policy = policy
        self.origin = origin
        self.access = access
    }

    func describe() async throws -> ResourceDescription {
        try await self.insist {
            switch await self.access.standing() {
            case .owner(let owner): try await self.kept(by: owner).cached.describe()
            case .user(let socket): try await self.line(socket).describe()
            case .without: try await self.origin.describe()
            case .closed: throw Self.closedError
            }
        }
    }

    func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        try await self.origin.isUnchanged(pin)
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let reading = try await self.start(demand)
        let producer = SharedProducer(reading, source: self)
        let isClosed = self.state.withLock { state in
            state.lastReader += 1
            state.readers = state.readers.filter { $0.value.producer != nil }
            state.readers[state.lastReader] = WeakReader(producer: producer)
            return state.isClosed
        }
        if isClosed { producer.end() }
        return reading.replacing(producer: producer)
    }

    /// Starts to read, from whoever owns the directory now.
    func start(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.insist {
            switch await self.access.standing() {
            case .owner(let owner): try await self.kept(by: owner).cached.read(demand)
            case .user(let socket): try await self.line(socket).read(demand)
            case .without: try await self.origin.read(demand)
            case .closed: throw Self.closedError
            }
        }
    }

    func residentSlice(_ range: RequestedRange) -> ResidentSlice? {
        let source = self.state.withLock { $0.owned?.source }
        return source?.cached.residentSlice(range)
    }

    /// Opens what is held, where this process owns the directory; what another one holds is not lent.
    func openHeld() async {
        guard let owner = self.access.owner, let source = try? self.kept(by: owner) else { return }
        await source.cached.openHeld()
    }

    var timeSinceConfirmation: Duration? {
        let source = self.state.withLock { $0.owned?.source }
        return source?.cached.timeSinceConfirmation
    }

    func availability() -> Availability {
        if let owner = self.access.owner, let source = try? self.kept(by: owner) {
            return source.cached.availability()
        }
        let line = self.state.withLock { $0.line }
        return line?.availability() ?? Availability(held: RangeSet(), length: nil)
    }

    func availabilityChanges() -> AsyncStream<Availability> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Availability.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        continuation.yield(self.availability())
        // Owned by the stream, which cancels it.
        let task = Task { [weak self] in
            while !Task.isCancelled, let changes = await self?.currentChanges() {
                for await availability in changes { continuation.yield(availability) }
                try? await Task.sleep(for: .milliseconds(100))
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Ends its readers with `SourceError.Code.closed`; later ones fail likewise.
    ///
    /// Others who play the resource go on.
    func close() async {
        let (owned, readers) = self.state.withLock { state in
            state.isClosed = true
            defer { (state.owned, state.line, state.readers) = (nil, nil, [:]) }
            return (state.owned, state.readers)
        }
        for reader in readers.values { reader.producer?.end() }
        await self.lines.forget()
        if let owned, owned.source.leave() { await owned.owner.end(owned.source, self.name) }
    }

    deinit {
        if let owned = self.state.withLock({ $0.owned }) { _ = owned.source.leave() }
    }

    /// What a reader of a closed source gets.
    static let closedError = SourceError(
        .closed,
        "The source was closed while it was read; open it again."
    )

    /// Tries again when the owner has gone, as soon as there is another.
    private func insist<Result>(
        _ attempt: () async throws -> Result
    ) async throws -> Result {
        for count in 0..<Self.attempts {
            guard !self.state.withLock({ $0.isClosed }) else { throw Self.closedError }
            do {
                return try await attempt()
            } catch is Interruption {
                if count > 0 { try await Task.sleep(for: .milliseconds(25)) }
                try await self.access.renew()
            } catch is OwnerSilent {
                self.access.ownerIsSilent()
            } catch let error as CacheError where error.code == .inUse {
                self.access.ownerRefuses(error)
            }
        }
        throw SourceError(.cacheFailed, self.access.lostError.message)
    }

    /// The resource as this process keeps it; its origin is ours from now on.
    private func kept(by owner: CacheOwner) throws(SourceError) -> KeptSource {
        let (source, old) = try self.state.withLock { state throws(SourceError) in
            guard !state.isClosed else { throw Self.closedError }
            if let owned = state.owned, owned.owner === owner {
                return (owned.source, nil as Owned?)
            }
            let source = owner.source(self.name, policy: self.policy)
            source.enter()
            let old = state.owned
            state.owned = Owned(
                owner: owner,
                source: source,
                lease: source.origin.lend(self.origin)
            )
            state.line = nil
            return (source, old)
        }
        if let old { _ = old.source.leave() }
        return source
    }

    /// The line to the process that owns the directory.
    func line(_ socket: OwnerSocket) async throws -> UseLine {
        guard !self.state.withLock({ $0.isClosed }) else { throw Self.closedError }
        let line = try await self.lines.value(
            isGood: { $0.isAlive },
            make: { [name, policy, origin] in
                try await UseLine(socket, name, policy: policy, origin: origin)
            }
        )
        self.access.learned(line.limits)
        let isClosed = self.state.withLock { state in
            if !state.isClosed { state.line = line }
            return state.isClosed
        }
        if isClosed {
            await self.lines.forget()
            throw Self.closedError
        }
        return line
    }

    /// What is held, from whoever owns the directory now; `nil` when there is nobody to ask any more.
    private func currentChanges() async -> AsyncStream<Availability>? {
        guard !self.state.withLock({ $0.isClosed }) else { return nil }
        switch await self.access.standing() {
        case .owner(let owner): return try? self.kept(by: owner).cached.availabilityChanges()
        case .user(let socket):
            guard let line = try? await self.line(socket) else {
                return AsyncStream { $0.finish() }
            }
            return line.availabilityChanges()
        case .without: return AsyncStream { $0.finish() }
        case .closed: return nil
        }
    }
}
