// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization
import WeirSource

/// Hands the parts of a body from the event loop that receives them to the consumer that pulls them.
///
/// At most one part is held. Each part comes with a demand: while that is not met, the client brings no
/// further one and stops reading from the socket. It is met when the consumer has taken the part, so
/// that the next is on its way while this one is used.
struct HandOffMachine<Part, Waiter, Demand> {
    /// What to do, each independent of the others, outside of the lock.
    struct Effects {
        /// The next part, or `nil` for the end.
        var waiter: (Waiter, Result<Part?, any Error>)?
        /// To be met, or the client waits for ever.
        var demand: Demand?
        /// Whether the request is to be given up, and its connection closed.
        var aborts = false
    }

    /// How the body ended; `nil` while it is open.
    private var ending: Result<Void, any Error>?
    private var part: Part?
    private var demand: Demand?
    private var waiter: Waiter?
    /// How many bytes have yet to come, if the head said.
    private var unreceived: Int64?

    /// The head came; its demand is met by the first pull.
    mutating func headReceived(bodyLength: Int64?, demand: Demand) -> Effects {
        guard self.ending == nil else { return Effects(demand: demand) }
        self.unreceived = bodyLength
        if self.waiter != nil { return Effects(demand: demand) }
        self.demand = demand
        return Effects()
    }

    /// A part came.
    mutating func partReceived(_ part: Part, count: Int, demand: Demand) -> Effects {
        if let unreceived { self.unreceived = max(0, unreceived.subtractingClamped(Int64(count))) }
        guard self.ending == nil else { return Effects(demand: demand) }
        if let waiter = self.waiter.take() {
            return Effects(waiter: (waiter, .success(part)), demand: demand)
        }
        self.part = part
        self.demand = demand
        return Effects()
    }

    /// The body came to its end.
    mutating func ended() -> Effects {
        guard self.ending == nil else { return Effects() }
        self.ending = .success(())
        return Effects(
            waiter: self.waiter.take().map { ($0, .success(nil)) },
            demand: self.demand.take()
        )
    }

    /// The request failed; a part that is held is still handed on.
    mutating func failed(_ error: any Error) -> Effects {
        guard self.ending == nil else { return Effects() }
        self.ending = .failure(error)
        return Effects(
            waiter: self.waiter.take().map { ($0, .failure(error)) },
            demand: self.demand.take()
        )
    }

    /// The consumer wants the next part.
    mutating func pulled(_ waiter: Waiter) -> Effects {
        if let part = self.part.take() {
            return Effects(waiter: (waiter, .success(part)), demand: self.demand.take())
        }
        switch self.ending {
        case .success: return Effects(waiter: (waiter, .success(nil)))
        case .failure(let error): return Effects(waiter: (waiter, .failure(error)))
        case nil:
            self.waiter = waiter
            return Effects(demand: self.demand.take())
        }
    }

    /// The consumer has gone.
    ///
    /// A request that has got its last byte is not given up: its connection is as good as new.
    mutating func cancelled() -> Effects {
        var effects = Effects(
            waiter: self.waiter.take().map { ($0, .failure(CancellationError())) },
            demand: self.demand.take()
        )
        self.part = nil
        if self.ending == nil { effects.aborts = self.unreceived != 0 }
        self.ending = .failure(CancellationError())
        return effects
    }
}

extension HandOffMachine: Sendable where Part: Sendable, Waiter: Sendable, Demand: Sendable {}
