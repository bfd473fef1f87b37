// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NIOCore
import WeirSource

extension ConnectionHandler {
    /// The most bytes of a file that are handed over at a time.
    static let pieceSize: Int64 = 1024 * 1024
    /// The most bytes that one connection sends before others have their turn: a client that reads
    /// as fast as it is sent to would keep the event loop to itself.
    static let turnSize: Int64 = 4 * 1024 * 1024
    /// The same for bytes that cost more than handing them over: those that are decrypted, or wait for an origin.
    static let shortTurnSize: Int64 = 1024 * 1024

    /// Sends the next piece of a resident run, and the next, for as long as the system takes them
    /// at once; goes on when it has taken the last.
    ///
    /// Never from within itself: a write that completes at once would otherwise nest as deep as the
    /// file is long.
    ///
    /// - Parameters:
    ///   - exchange: the response that the run is a part of.
    ///   - first: the first piece, if it has been taken already.
    func pump(_ exchange: Exchange, beginningWith first: ResidentPiece? = nil) {
        guard !self.isPumping else { return }
        self.isPumping = true
        defer { self.isPumping = false }
        var first = first
        while self.exchange === exchange, exchange.outstandingWrites == 0, let run = exchange.run {
            guard !run.slice.range.isEmpty else {
                self.continueRun(run, exchange)
                continue
            }
            let isLent = run.slice.file.descriptor != nil
            guard exchange.bytesInTurn < (isLent ? Self.turnSize : Self.shortTurnSize) else {
                return self.pumpLater(exchange)
            }
            if first == nil, !isLent, let socket = self.socket {
                guard self.pumpCopy(run, over: socket, exchange) else {
                    exchange.run = nil
                    return self.pull(exchange, continuing: run.slice.range.lowerBound..<run.end)
                }
                continue
            }
            guard let piece = first ?? ResidentPiece(run.slice, upTo: Self.pieceSize) else {
                exchange.run = nil
                return self.pull(exchange, continuing: run.slice.range.lowerBound..<run.end)
            }
            first = nil
            let middle = piece.range.upperBound
            if middle == run.end {
                exchange.run = nil
                exchange.isWritten = true
            } else {
                exchange.run?.slice = run.slice.clamped(to: middle..<run.slice.range.upperBound)
            }
            let count = middle - piece.range.lowerBound
            exchange.bytesInTurn += count
            self.write(piece.data, bodyBytes: count, lentBy: piece.loan, exchange)
        }
    }

    /// Sends the head and the first bytes of a slice that must be read into memory; what the system does not take at once,
    /// and what follows, goes through the channel.
    ///
    /// - Parameters:
    ///   - head: the head.
    ///   - slice: bytes whose file has no descriptor, from the body's start on.
    ///   - part: the body.
    ///   - socket: where to.
    ///   - exchange: the response.
    /// - Returns: false, and nothing has been written, if the bytes cannot be had after all.
    func sendCopy(
        _ head: ResponseHead,
        _ slice: ResidentSlice,
        _ part: Range<Int64>,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Bool {
        let lower = slice.range.lowerBound
        let limit = ResidentPiece.copySize
        let isSent = self.scratch.withBuffer(capacity: head.encodedSizeLimit + Int(limit)) {
            buffer in
            head.write(into: &buffer)
            let headCount = buffer.readableBytes
            guard let count = buffer.appendStart(of: slice, upTo: limit) else { return false }
            exchange.note(head)
            exchange.description = slice.description
            exchange.run = Exchange.Run(
                slice: slice.clamped(to: (lower + count)..<slice.range.upperBound),
                end: part.upperBound
            )
            exchange.bytesInTurn += count
            self.hand(&buffer, count, headCount: headCount, over: socket, exchange)
            return true
        }
        // Does nothing for a response that has ended, or waits for the channel.
        if isSent { self.pump(exchange) }
        return isSent
    }

    /// Sends the next piece of a run that must be read into memory.
    ///
    /// - Returns: false if the bytes cannot be had.
    private func pumpCopy(
        _ run: Exchange.Run,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) -> Bool {
        let lower = run.slice.range.lowerBound
        return self.scratch.withBuffer(capacity: Int(ResidentPiece.copySize)) { buffer in
            guard let count = buffer.appendStart(of: run.slice, upTo: ResidentPiece.copySize)
            else { return false }
            exchange.run?.slice = run.slice.clamped(
                to: (lower + count)..<run.slice.range.upperBound
            )
            exchange.bytesInTurn += count
            self.hand(&buffer, count, headCount: 0, over: socket, exchange)
            return true
        }
    }

    /// Hands bytes to the system, and what it does not take at once to the channel; nothing else is on its way.
    private func hand(
        _ buffer: inout ByteBuffer,
        _ bodyCount: Int64,
        headCount: Int,
        over socket: DirectSocket,
        _ exchange: Exchange
    ) {
        let taken = buffer.withUnsafeReadableBytes { socket.write($0) }
        let bodyTaken = Int64(max(0, taken - headCount))
        exchange.bytesSent += bodyTaken
        if let run = exchange.run, run.slice.range.isEmpty, run.slice.range.lowerBound == run.end {
            exchange.run = nil
            exchange.isWritten = true
        }
        guard taken < buffer.readableBytes else {
            if exchange.isWritten { self.finish(exchange) }
            return
        }
        buffer.moveReaderIndex(forwardBy: taken)
        self.write(.byteBuffer(buffer), bodyBytes: bodyCount - bodyTaken, exchange)
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
        self.afterOthers {
            exchange.bytesInTurn = 0
            self.pump(exchange)
        }
    }

    /// Has something done when the event loop has looked for what has come.
    ///
    /// A task that the event loop is given by itself runs before that, and one that is given by another task again, for
    /// as long as there are any: so another thread hands it over.
    func afterOthers(_ work: @escaping () -> Void) {
        // Without a socket there is no other connection either: the event loop is a test's.
        guard self.socket != nil else { return self.eventLoop.assumeIsolated().execute(work) }
        let bound = NIOLoopBound(work, eventLoop: self.eventLoop)
        DispatchQueue.global(qos: .userInitiated).async { [eventLoop] in
            eventLoop.execute { bound.value() }
        }
    }
}
