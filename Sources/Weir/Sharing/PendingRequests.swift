// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// What an owner has asked of users who lend their origins, until they connect with the answer.
final class PendingRequests: Sendable {
    private enum Order {
        /// Nobody waits yet.
        case placed
        case awaited(CheckedContinuation<FrameChannel, any Error>)
        case ended(any Error)
    }

    private let orders = Mutex<(last: UInt64, all: [UInt64: Order])>((0, [:]))

    /// A number for a new order, which has to be forgotten.
    func begin() -> UInt64 {
        self.orders.withLock { orders in
            orders.last += 1
            orders.all[orders.last] = .placed
            return orders.last
        }
    }

    /// Forgets an order.
    func forget(_ number: UInt64) {
        _ = self.orders.withLock { $0.all.removeValue(forKey: number) }
    }

    /// Says what is wanted, and waits for the connection that answers it.
    ///
    /// - Throws: what ended the order; `CancellationError`.
    func connection(
        for number: UInt64,
        saying say: @escaping @Sendable () async throws -> Void
    ) async throws -> FrameChannel {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let end: (any Error)? = self.orders.withLock { orders in
                    switch orders.all[number] {
                    case .ended(let error)?: return error
                    case nil: return Interruption()
                    case .placed?, .awaited?:
                        orders.all[number] = .awaited(continuation)
                        return nil
                    }
                }
                if let end { return continuation.resume(throwing: end) }
                // Owned by the order, which it ends when it fails; ends when the message is on its way.
                Task {
                    do { try await say() } catch { self.end(number, Interruption()) }
                }
            }
        } onCancel: {
            self.end(number, CancellationError())
        }
    }

    /// Somebody has come with the answer.
    func supply(_ number: UInt64, with channel: FrameChannel) {
        let waiter = self.orders.withLock { orders in
            guard case .awaited(let waiter)? = orders.all[number] else {
                return nil as CheckedContinuation<FrameChannel, any Error>?
            }
            orders.all[number] = .placed
            return waiter
        }
        if let waiter { waiter.resume(returning: channel) } else { channel.close() }
    }

    /// Gives an order up, unless it is forgotten already.
    func end(_ number: UInt64, _ error: any Error) {
        let waiter = self.orders.withLock { orders in
            guard let order = orders.all[number] else {
                return nil as CheckedContinuation<FrameChannel, any Error>?
            }
            orders.all[number] = .ended(error)
            guard case .awaited(let waiter) = order else { return nil }
            return waiter
        }
        waiter?.resume(throwing: error)
    }
}
