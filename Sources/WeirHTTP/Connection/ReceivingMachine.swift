// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Decides when a connection reads, and hands out the received pieces in order, then the end.
///
/// The connection reads only on request, except for one piece ahead where the consumer allows it. A
/// socket may deliver more bytes at its end. The machine holds them, bounded by the system's
/// receive buffer.
package struct ReceivingMachine<Waiter> {
    /// How the bytes end: with an orderly end, or with a failure.
    package typealias Ending = Result<Void, HTTPTransportError>

    /// The effects to perform, in any order, outside of the lock.
    package struct Effects {
        /// The waiting consumer and its result.
        package var waiter: (Waiter, Result<ByteMemory?, HTTPTransportError>)?
        /// Whether to start a read of the socket.
        package var reads = false
        /// Whether the resting connection has become unusable.
        package var expires = false
    }

    private var pieces: [ByteMemory] = []
    private var ending: Ending?
    private var waiter: Waiter?
    /// Whether a read is pending.
    package private(set) var isReading = false
    private var isResting = false

    package init() {}

    /// The consumer pulls the next piece.
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

    /// Whether another read follows at once when the waiting consumer gets its piece.
    private var readsAhead = false

    /// Takes a received piece.
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

    /// Takes the end; only the first end counts.
    package mutating func ended(_ ending: Ending) -> Effects {
        guard self.ending == nil else { return Effects() }
        if self.isResting { return self.expired(ending) }
        self.ending = ending
        return Effects(waiter: self.waiter.take().map { ($0, ending.map { nil }) })
    }

    /// Closes the connection from this side, and drops the held pieces.
    package mutating func closed() -> Effects {
        self.pieces = []
        self.isResting = false
        let failure = HTTPTransportError(.closed, "the client was shut down")
        self.ending = .failure(failure)
        return Effects(waiter: self.waiter.take().map { ($0, .failure(failure)) })
    }

    /// Begins a rest after the response has ended; reads, to notice when the server ends the
    /// connection.
    package mutating func rested() -> Effects {
        guard self.ending == nil, self.pieces.isEmpty else { return Effects(expires: true) }
        self.isResting = true
        return Effects(reads: self.startsRead())
    }

    /// Ends a rest for another exchange; returns whether the connection is usable.
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
