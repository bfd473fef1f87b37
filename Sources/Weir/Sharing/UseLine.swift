// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization
import WeirCache
import WeirLoader
import WeirSource

/// A resource that this process plays through the owner of the directory: the connection that says so.
///
/// The owner asks over it for bytes of our origin. It ends when this object goes, or the owner does.
final class UseLine: Sendable {
    /// How long the owner may take to answer.
    private static let patience = TimeAmount.seconds(5)

    /// What the owner allows the cache to hold.
    let limits: CacheLimits

    private struct State {
        var availability = Availability(held: RangeSet(), length: nil)
        var isWatching = false
        var listeners: [Int: AsyncStream<Availability>.Continuation] = [:]
        var lastListener = 0
    }

    private let number: UInt64
    private let channel: FrameChannel
    private let socket: OwnerSocket
    private let open = OpenChannels()
    private let state = Mutex(State())
    private let listening = Mutex<Task<Void, Never>?>(nil)

    /// Asks the owner to play a resource, with our origin.
    ///
    /// - Throws: ``Interruption`` if there is no owner; ``OwnerSilent`` if it does not answer; what it says.
    init(
        _ socket: OwnerSocket,
        _ name: KeptSource.Name,
        policy: LoadPolicy,
        origin: any ByteSource
    ) async throws {
        let channel = try await socket.connect()
        let hasPassed = Atomic(false)
        let deadline = channel.close(after: Self.patience) {
            hasPassed.store(true, ordering: .relaxed)
        }
        defer { deadline.cancel() }
        do {
            try await channel.send(
                OwnerRequest(
                    kind: .use(
                        KeyMessage(name.key),
                        PolicyMessage(policy),
                        isOffline: name.isOffline
                    )
                )
            )
            guard case .using(let number, let limits) = try await channel.answer() else {
                throw Interruption()
            }
            self.number = number
            self.limits = limits.limits
        } catch is Interruption where hasPassed.load(ordering: .relaxed) {
            throw OwnerSilent()
        }
        self.channel = channel
        self.socket = socket
        let supplier = Supplier(socket: socket, origin: origin)
        // Owned by the line, which cancels it; ends with the connection.
        let task = Task { [weak self] in
            await Self.listen(to: channel, supplier) { [weak self] in self?.heard($0) }
            self?.end()
        }
        self.listening.withLock { $0 = task }
    }

    deinit {
        self.listening.withLock { $0?.cancel() }
        self.end()
    }

    /// Whether the owner is there, as far as is known.
    var isAlive: Bool { !self.open.isEnded }

    /// Starts to read through the owner.
    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let channel = try await self.request(.read(use: self.number, DemandMessage(demand)))
        return try await channel.reading()
    }

    /// Asks the owner what the resource is.
    func describe() async throws -> ResourceDescription {
        let channel = try await self.request(.describe(use: self.number))
        guard case .described(let resource) = try await channel.answer() else {
            throw Interruption()
        }
        return resource.description
    }

    /// What the owner last said is held; from the first call on it does say so.
    func availability() -> Availability {
        let (availability, isNew) = self.state.withLock { state in
            defer { state.isWatching = true }
            return (state.availability, !state.isWatching)
        }
        // Owned by nobody: one message, which is sent or fails.
        if isNew { Task { [channel] in try? await channel.send(OwnerAnswer.watch) } }
        return availability
    }

    /// What is held, now and whenever the owner says so; ends with the line.
    func availabilityChanges() -> AsyncStream<Availability> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Availability.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = self.state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        continuation.yield(self.availability())
        if !self.isAlive { continuation.finish() }
        return stream
    }

    private func request(_ kind: OwnerRequest.Kind) async throws -> FrameChannel {
        guard self.isAlive else { throw Interruption() }
        let channel = try await self.socket.connect()
        self.open.add(channel)
        try await channel.send(OwnerRequest(kind: kind))
        return channel
    }

    private func heard(_ availability: Availability) {
        let listeners = self.state.withLock { state in
            state.availability = availability
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(availability) }
    }

    private func end() {
        self.open.end()
        self.channel.close()
        let listeners = self.state.withLock { state in
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// Carries orders out and hands news on, until the connection ends.
    private static func listen(
        to channel: FrameChannel,
        _ supplier: Supplier,
        _ heard: @escaping @Sendable (Availability) -> Void
    ) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await channel.keepAlive() }
            while let answer = try? await channel.message(OwnerAnswer.self) {
                switch answer {
                case .order(let number, let order):
                    group.addTask { await supplier.carryOut(order, number: number) }
                case .availability(let message):
                    heard(message.availability)
                default: break
                }
            }
            group.cancelAll()
        }
    }
}
