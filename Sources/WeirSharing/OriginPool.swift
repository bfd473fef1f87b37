// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// The origins of all users that play a resource, for its missing bytes; the newest is asked first.
///
/// Each user lends its own origin, with its credentials, and takes the origin back when it leaves.
final class OriginPool: ByteSource {
    /// An origin that a user has lent; releasing this object takes the origin back.
    final class OriginLease: Sendable {
        private let number: UInt64
        private let origin: OriginPool

        fileprivate init(_ number: UInt64, _ origin: OriginPool) {
            self.number = number
            self.origin = origin
        }

        deinit {
            self.origin.takeBack(self.number)
        }
    }

    private let lenders = Mutex<(last: UInt64, all: [(number: UInt64, origin: any ByteSource)])>(
        (0, [])
    )

    /// Called for each origin that is lent or taken back.
    private let tell: @Sendable (_ isLent: Bool) -> Void

    init(telling tell: @escaping @Sendable (_ isLent: Bool) -> Void = { _ in }) {
        self.tell = tell
    }

    /// Adds an origin, which is asked before all others.
    func lend(_ origin: any ByteSource) -> OriginLease {
        let number = self.lenders.withLock { lenders in
            lenders.last += 1
            lenders.all.append((lenders.last, origin))
            return lenders.last
        }
        self.tell(true)
        return OriginLease(number, self)
    }

    func describe() async throws -> ResourceDescription {
        try await self.ask { try await $0.describe() }
    }

    func isUnchanged(_ version: ReadDemand.Version) async throws -> Bool {
        try await self.ask { try await $0.isUnchanged(version) }
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.ask { try await $0.read(demand) }
    }

    private func takeBack(_ number: UInt64) {
        self.lenders.withLock { $0.all.removeAll { $0.number == number } }
        self.tell(false)
    }

    /// Asks the newest origin first, then each next one if the one before is gone or fails.
    ///
    /// A user with a wrong credential, or without a network, does not harm other users.
    private func ask<Answer>(
        _ question: (any ByteSource) async throws -> Answer
    ) async throws -> Answer {
        var asked: UInt64 = .max
        var failure: (any Error)?
        while let lender = self.lenders.withLock({ $0.all.last { $0.number < asked } }) {
            asked = lender.number
            do {
                // The resource has a limited number of retries, so an origin that is asked after a
                // failure gets one try.
                return try await RetryAllowance.$isSpent.withValue(failure != nil) {
                    try await question(lender.origin)
                }
            } catch is PeerError {
                continue
            } catch let error as CacheError where error.code == .inUse {
                // The user's process has another version.
                continue
            } catch let error as SourceError
                where error.code != .changed && error.code != .rangeNotSatisfiable
            {
                failure = failure ?? error
            }
        }
        try Task.checkCancellation()
        throw failure ?? PeerError.disconnected
    }
}

/// The owner's orders to users that lend their origins, until the users connect with the answers.
final class PendingOrders: Sendable {
    private typealias Answer = AsyncStream<PeerConnection>.Continuation

    private let orders = Mutex<(last: UInt64, all: [UInt64: Answer])>((0, [:]))

    /// Returns a number for a new order, and a stream that yields the one connection with the
    /// answer.
    ///
    /// The caller must end the order with ``end(_:)``.
    func begin() -> (number: UInt64, answers: AsyncStream<PeerConnection>) {
        let (answers, answer) = AsyncStream.makeStream(of: PeerConnection.self)
        let number = self.orders.withLock { orders in
            orders.last += 1
            orders.all[orders.last] = answer
            return orders.last
        }
        return (number, answers)
    }

    /// Accepts a connection that answers an order; closes it if the order has ended.
    func supply(_ number: UInt64, with connection: PeerConnection) {
        guard let answer = self.orders.withLock({ $0.all.removeValue(forKey: number) }) else {
            return connection.close()
        }
        answer.yield(connection)
        answer.finish()
    }

    /// Ends an order, if it has not ended already.
    func end(_ number: UInt64) {
        self.orders.withLock { $0.all.removeValue(forKey: number) }?.finish()
    }
}
