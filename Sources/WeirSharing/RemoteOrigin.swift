// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// The origin of a user, which is another process; the owner of the cache directory reads through
/// it.
///
/// Each call sends an order over the user's connection. The answer comes over a separate
/// connection.
final class RemoteOrigin: ByteSource {
    /// How long a user may take to connect with an answer.
    private static let patience = Duration.seconds(10)

    private let user: PeerConnection
    private let orders: PendingOrders
    private let timeline: Timeline
    private let placed = Mutex<Set<UInt64>>([])

    init(_ user: PeerConnection, _ orders: PendingOrders, _ timeline: Timeline) {
        self.user = user
        self.orders = orders
        self.timeline = timeline
    }

    func describe() async throws -> ResourceDescription {
        guard case .described(let resource) = try await self.ask(.describe).answer() else {
            throw PeerError.disconnected
        }
        return resource
    }

    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        let answer = try await self.ask(.isUnchanged(version)).answer()
        guard case .unchanged(let isUnchanged) = answer else { throw PeerError.disconnected }
        return isUnchanged
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        let order = Message.Order.read(demand, isLastTry: RetryAllowance.isSpent)
        return try await self.ask(order).reading()
    }

    /// Closes the user's connection, and ends the orders that wait for an answer.
    func end() {
        self.user.close()
        for number in self.placed.withLock({ $0 }) { self.orders.end(number) }
    }

    private func ask(_ order: Message.Order) async throws -> PeerConnection {
        let (number, answers) = self.orders.begin()
        _ = self.placed.withLock { $0.insert(number) }
        defer {
            _ = self.placed.withLock { $0.remove(number) }
            self.orders.end(number)
        }
        guard !self.user.isClosed else { throw PeerError.disconnected }
        // An unstructured task: it ends when the message is sent, and ends the order if that fails.
        // The cancellation of a reader must not reach this task: a cancelled send closes the user's
        // connection.
        Task { [user, orders] in
            do {
                try await user.send(.order(number, order))
            } catch {
                orders.end(number)
            }
        }
        // Owned by this call, which cancels it. A user that cannot connect cannot report that, so a
        // deadline ends the order.
        let deadline = Task { [orders, timeline] in
            guard (try? await timeline.sleep(Self.patience)) != nil else { return }
            orders.end(number)
        }
        defer { deadline.cancel() }
        guard let answer = await answers.first(where: { _ in true }) else {
            try Task.checkCancellation()
            throw PeerError.disconnected
        }
        self.user.add(dependent: answer)
        return answer
    }
}
