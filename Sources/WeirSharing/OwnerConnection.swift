// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirLoader
import WeirSource

/// This process's connection to the owner of the cache directory, for one resource that this process plays.
///
/// Over this connection, the owner reports the held bytes, and orders bytes of this process's origin. Each answer has
/// a connection of its own. The connection ends with this object, or with the owner.
final class OwnerConnection: ByteSource {
    /// How long the owner may take to answer the first message.
    private static let patience = Duration.seconds(5)

    /// The limits of the cache that the owner applies.
    let limits: CacheLimits

    private let number: UInt64
    private let connection: PeerConnection
    private let address: OwnerAddress
    private let availabilities = Broadcast<Availability>(capacity: 1)
    private let held = Mutex(Availability(held: RangeSet(), length: nil))
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// Asks the owner to play a resource, with an origin of this process.
    ///
    /// - Throws: ``PeerError``; the owner's error; `CancellationError`.
    init(
        _ address: OwnerAddress,
        _ name: SharedResource,
        policy: LoadPolicy,
        origin: any ByteSource
    ) async throws {
        let connection = try await address.connect()
        let answer = try await connection.within(Self.patience) {
            try await connection.send(.use(name, policy))
            return try await connection.answer()
        }
        guard case .using(let number, let limits) = answer else { throw PeerError.disconnected }
        try await connection.send(.watch)
        self.number = number
        self.limits = limits
        self.connection = connection
        self.address = address
        // Owned by this object, which cancels it; ends with the connection.
        let task = Task { [weak self] in
            await Self.listen(to: connection, address, origin) { [weak self] in self?.tell($0) }
            self?.end()
        }
        self.listening.withLock { $0 = task }
    }

    deinit {
        self.listening.withLock { $0?.cancel() }
        self.end()
    }

    /// Whether the connection to the owner is open, as far as is known.
    var isAlive: Bool { !self.connection.isClosed }

    /// Starts to read through the owner.
    func read(_ demand: ReadDemand) async throws -> ByteReading {
        guard demand.range.isMeant else {
            throw SourceError(
                .rangeNotSatisfiable,
                "The range \(demand.range) is not valid; use offsets and counts of 0 or more."
            )
        }
        return try await self.request(.read(use: self.number, demand)).reading()
    }

    /// Asks the owner for the description of the resource.
    func describe() async throws -> ResourceDescription {
        let answer = try await self.request(.describe(use: self.number)).answer()
        guard case .described(let resource) = answer else { throw PeerError.disconnected }
        return resource
    }

    /// Asks the owner for the held bytes, so that ``availability`` is up to date.
    ///
    /// Without this call, the owner's next report may come a moment later.
    func askHeld() async throws {
        let answer = try await self.request(.held(use: self.number)).answer()
        guard case .availability(let availability) = answer else { throw PeerError.disconnected }
        self.tell(availability)
    }

    /// The held bytes of the owner's last report.
    var availability: Availability { self.held.withLock { $0 } }

    /// The held bytes, now and after each report of the owner; ends with the connection.
    func availabilityChanges() -> AsyncStream<Availability> {
        self.held.withLock { self.availabilities.stream(startingWith: $0) }
    }

    private func request(_ message: Message) async throws -> PeerConnection {
        guard self.isAlive else { throw PeerError.disconnected }
        let connection = try await self.address.connect()
        self.connection.add(dependent: connection)
        try await connection.send(message)
        return connection
    }

    private func tell(_ availability: Availability) {
        self.held.withLock { held in
            held = availability
            self.availabilities.tell(availability)
        }
    }

    private func end() {
        self.connection.close()
        self.availabilities.finish()
    }

    /// Carries out orders and passes on the held ranges, until the connection ends.
    private static func listen(
        to connection: PeerConnection,
        _ address: OwnerAddress,
        _ origin: any ByteSource,
        _ tell: @escaping @Sendable (Availability) -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await connection.keepAlive() }
            while let message = try? await connection.message() {
                switch message {
                case .order(let number, let order):
                    group.addTask { await Self.supply(order, number: number, address, origin) }
                case .availability(let availability):
                    tell(availability)
                default: break
                }
            }
            group.cancelAll()
        }
    }

    /// Connects, and sends the ordered data; stops when the owner closes the connection.
    private static func supply(
        _ order: Message.Order,
        number: UInt64,
        _ address: OwnerAddress,
        _ origin: any ByteSource
    ) async {
        guard let connection = try? await address.connect(),
            (try? await connection.send(.supply(order: number))) != nil
        else { return }
        switch order {
        case .read(let demand, let isLastTry):
            await RetryAllowance.$isSpent.withValue(isLastTry) {
                await connection.send(reading: { try await origin.read(demand) })
            }
        case .describe:
            await connection.send(answer: { .described(try await origin.describe()) })
        case .isUnchanged(let version):
            await connection.send(answer: { .unchanged(try await origin.isUnchanged(version)) })
        }
    }
}
