// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Decides when a connection reads, and who gets what it read: pieces in their order, then the end.
///
/// Nothing is read that was not asked for, but one piece ahead where that is allowed. A socket may deliver more at its end
/// than was asked for; that is held, bounded by the system's receive buffer.
package struct ReceivingMachine<Waiter> {
    /// How the bytes end: in good order, or not.
    package typealias Ending = Result<Void, HTTPTransportError>

    /// What is to be done, in any order, outside of the lock.
    package struct Effects {
        /// The consumer that waits, and what it gets.
        package var waiter: (Waiter, Result<ByteMemory?, HTTPTransportError>)?
        /// Whether a read is to be asked of the socket.
        package var reads = false
        /// Whether the connection has rested in vain: it is of no use any more.
        package var expires = false
    }

    private var pieces: [ByteMemory] = []
    private var ending: Ending?
    private var waiter: Waiter?
    /// Whether a read was asked for that has brought nothing yet.
    package private(set) var isReading = false
    private var isResting = false

    package init() {}

    /// The consumer wants the next piece.
    package mutating func pulled(_ waiter: Waiter, readsAhead: Bool) -> Effects {
        var effects = Effects()
        if !self.pieces.isEmpty {
            effects.waiter = (waiter, .success(self.pieces.removeFirst()))
            if readsAhead { effects.reads = self.startsRead() }
        } else if let ending = self.ending {
            effects.waiter = (waiter, ending.map { nil })
        } else {
            self.waiter = waiter
            self.readsAhead = readsAhead
            effects.reads = self.startsRead()
        }
        return effects
    }

    /// Whether the read that the consumer waits for is followed by another one at once.
    private var readsAhead = false

    /// A piece came.
    package mutating func received(_ piece: ByteMemory) -> Effects {
        self.isReading = false
        guard self.ending == nil else { return Effects() }
        if self.isResting { return self.expired(.failure(HTTPTransportError.broken)) }
        guard let waiter = self.waiter.take() else {
            self.pieces.append(piece)
            return Effects()
        }
        var effects = Effects(waiter: (waiter, .success(piece)))
        if self.readsAhead { effects.reads = self.startsRead() }
        return effects
    }

    /// No more comes; the first end counts.
    package mutating func ended(_ ending: Ending) -> Effects {
        guard self.ending == nil else { return Effects() }
        if self.isResting { return self.expired(ending) }
        self.ending = ending
        return Effects(waiter: self.waiter.take().map { ($0, ending.map { nil }) })
    }

    /// The connection is closed from this side: pieces that are held are dropped.
    package mutating func closed() -> Effects {
        self.pieces = []
        self.isResting = false
        let failure = HTTPTransportError(.closed, "the client was shut down")
        self.ending = .failure(failure)
        return Effects(waiter: self.waiter.take().map { ($0, .failure(failure)) })
    }

    /// The answer has ended, and nothing is to come; reads, so as to see the other side's end.
    package mutating func rested() -> Effects {
        guard self.ending == nil, self.pieces.isEmpty else { return Effects(expires: true) }
        self.isResting = true
        return Effects(reads: self.startsRead())
    }

    /// Another exchange begins; whether it can.
    package mutating func woken() -> Bool {
        defer { self.isResting = false }
        return self.isResting && self.ending == nil
    }

    private mutating func expired(_ ending: Ending) -> Effects {
        self.isResting = false
        self.ending = ending
        return Effects(expires: true)
    }

    private mutating func startsRead() -> Bool {
        guard self.ending == nil, self.pieces.isEmpty, !self.isReading else { return false }
        self.isReading = true
        return true
    }
}

extension ReceivingMachine: Sendable where Waiter: Sendable {}
