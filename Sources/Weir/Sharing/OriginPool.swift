// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// Where the missing bytes of a resource come from: the origins of all who play it, the newest first.
///
/// Each user brings its own, with its credentials, and takes it away when it goes.
final class OriginPool: ByteSource {
    private struct Lender {
        let number: UInt64
        let origin: any ByteSource
    }

    /// What a user has lent; it is taken back when nobody holds this.
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

    private let lenders = Mutex<(last: UInt64, all: [Lender])>((0, []))

    /// Takes an origin, which is asked before all others.
    func lend(_ origin: any ByteSource) -> OriginLease {
        let number = self.lenders.withLock { lenders in
            lenders.last += 1
            lenders.all.append(Lender(number: lenders.last, origin: origin))
            return lenders.last
        }
        return OriginLease(number, self)
    }

    func describe() async throws -> ResourceDescription {
        try await self.ask { try await $0.describe() }
    }

    func isUnchanged(_ pin: ReadDemand.Pin) async throws -> Bool {
        try await self.ask { try await $0.isUnchanged(pin) }
    }

    func read(_ demand: ReadDemand) async throws -> ByteReading {
        try await self.ask { try await $0.read(demand) }
    }

    private func takeBack(_ number: UInt64) {
        self.lenders.withLock { $0.all.removeAll { $0.number == number } }
    }

    /// Asks the newest; when it has gone, or cannot answer, the next: what is wrong with one user's credential or
    /// line is no other's trouble.
    private func ask<Answer>(
        _ question: (any ByteSource) async throws -> Answer
    ) async throws -> Answer {
        var asked: UInt64 = .max
        var failure: (any Error)?
        while let lender = self.lenders.withLock({ $0.all.last { $0.number < asked } }) {
            asked = lender.number
            do {
                // The patience is with the resource: who comes after a failure is asked once.
                return try await RetryAllowance.$isSpent.withValue(failure != nil) {
                    try await question(lender.origin)
                }
            } catch is Interruption {
                continue
            } catch let error as CacheError where error.code == .inUse {
                // It says what this version does not understand.
                continue
            } catch let error as SourceError
                where error.code != .changed && error.code != .rangeNotSatisfiable
            {
                failure = failure ?? error
            }
        }
        try Task.checkCancellation()
        throw failure ?? Interruption()
    }
}
