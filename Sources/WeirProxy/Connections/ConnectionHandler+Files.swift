// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

extension ConnectionHandler {
    /// The most bytes of a file that are handed over at a time.
    static let pieceSize: Int64 = 1024 * 1024
    /// The most bytes that one connection sends before others have their turn: a client that reads
    /// as fast as it is sent to would keep the event loop to itself.
    static let turnSize: Int64 = 4 * 1024 * 1024

    /// Sends the next piece of a resident run, and the next, for as long as the system takes them
    /// at once; goes on when it has taken the last.
    ///
    /// Never from within itself: a write that completes at once would otherwise nest as deep as the
    /// file is long.
    ///
    /// - Parameters:
    ///   - exchange: the response that the run is a part of.
    ///   - first: the first piece, if it has been borrowed already.
    func pump(_ exchange: Exchange, beginningWith first: FileLoan? = nil) {
        guard !self.isPumping else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        var first = first
        while self.exchange === exchange, exchange.outstandingWrites == 0, let run = exchange.run {
            guard !run.slice.range.isEmpty else {
                self.continueRun(run, exchange)
                continue
            }
            guard exchange.bytesInTurn < Self.turnSize else { return self.pumpLater(exchange) }
            guard let loan = first ?? FileLoan(run.slice, upTo: Self.pieceSize) else {
                // The file is shorter than it was: the source knows what to do.
                exchange.run = nil
                return self.pull(exchange, continuing: run.slice.range.lowerBound..<run.end)
            }
            first = nil
            let middle = loan.range.upperBound
            if middle == run.end {
                exchange.run = nil
                exchange.isWritten = true
            } else {
                exchange.run?.slice = run.slice.clamped(to: middle..<run.slice.range.upperBound)
            }
            let count = middle - loan.range.lowerBound
            exchange.bytesInTurn += count
            self.write(.fileRegion(loan.region), bodyBytes: count, lentBy: loan, exchange)
        }
    }

    /// Finds what follows a run that has been sent: another of the same generation, or else a
    /// reading.
    private func continueRun(_ run: Exchange.Run, _ exchange: Exchange) {
        let rest = run.slice.range.upperBound..<run.end
        if let next = exchange.source?.residentSlice(.span(rest)),
            next.range.contains(rest.lowerBound), let generation = next.description.generation,
            generation == exchange.description?.generation,
            next.description.length == exchange.description?.length
        {
            exchange.run?.slice = next.clamped(to: rest)
        } else {
            exchange.run = nil
            self.pull(exchange, continuing: rest)
        }
    }

    private func pumpLater(_ exchange: Exchange) {
        self.eventLoop.assumeIsolated().execute {
            exchange.bytesInTurn = 0
            self.pump(exchange)
        }
    }
}
