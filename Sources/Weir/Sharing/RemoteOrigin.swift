// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The origin that a user in another process lends, as the owner of the directory sees it.
///
/// Each question is an order over the user's connection; the answer comes over one of its own.
final class RemoteOrigin: ByteSource {
    /// How long a user may take to connect with an answer.
    private static let patience = Duration.seconds(10)

    private let line: FrameChannel
    private let orders: PendingRequests
    private let open = OpenChannels()
    private let placed = Mutex<Set<UInt64>>([])

    init(_ line: FrameChannel, _ orders: PendingRequests) {
        self.line = line
        self.orders = orders
    }

    func describe() async throws -> ResourceDescription {
        let channel = try await self.ask(.describe)
        guard case .described(let resource) = try await channel.answer() else {
            throw Interruption()
        }
        return resource.description
    }

    func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        let channel = try await self.ask(.isUnchanged(PinMessage(pin)))
        guard case .unchanged(let isUnchanged) = try await channel.answer() else {
            throw Interruption()
        }
        return isUnchanged
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.ask(.read(DemandMessage(demand))).reading()
    }

    /// The user has gone.
    func end() {
        self.open.end()
        for number in self.placed.withLock({ $0 }) { self.orders.end(number, Interruption()) }
    }

    private func ask(_ order: OriginOrder) async throws -> FrameChannel {
        let number = self.orders.begin()
        _ = self.placed.withLock { $0.insert(number) }
        defer {
            _ = self.placed.withLock { $0.remove(number) }
            self.orders.forget(number)
        }
        guard !self.open.isEnded else { throw Interruption() }
        // Owned by this call, which cancels it: a user that cannot connect cannot say so either.
        let deadline = Task { [orders] in
            guard (try? await Task.sleep(for: Self.patience)) != nil else { return }
            orders.end(number, Interruption())
        }
        defer { deadline.cancel() }
        let channel = try await self.orders.connection(for: number) { [line] in
            try await line.send(OwnerAnswer.order(number, order))
        }
        self.open.add(channel)
        return channel
    }
}
