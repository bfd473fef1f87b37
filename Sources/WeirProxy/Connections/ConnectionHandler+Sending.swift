// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import NIOCore

/// The steps of a ``HeldSender``, the turns of the client, and writes to the channel.
extension ConnectionHandler {
    /// Sends pieces of a resident run for as long as the system takes them at once.
    ///
    /// Sending resumes when the system has taken the last piece. A nested call for the same
    /// response does nothing. Otherwise each write that completes at once would add a level of
    /// calls.
    func pump(_ exchange: Exchange) {
        guard !exchange.isPumping else { return }
        exchange.isPumping = true
        defer { exchange.isPumping = false }
        while self.exchange === exchange, exchange.outstandingWrites == 0, let run = exchange.run {
            guard self.perform(self.sender.next(run, exchange), exchange) else { return }
        }
    }

    /// Performs a step of the sender.
    ///
    /// - Returns: false if the response goes on later.
    @discardableResult
    func perform(_ step: HeldSender.Step, _ exchange: Exchange) -> Bool {
        switch step {
        case .goOn:
            break
        case .finish:
            self.finish(exchange)
        case .write(let data, let count, let loan):
            self.write(data, bodyBytes: count, lentBy: loan, exchange)
        case .letOthersSend:
            self.afterOthers { self.pump(exchange) }
            return false
        case .takeTurn(let wanted):
            return self.takeTurn(exchange, wanting: wanted) { self.pump(exchange) }
        case .pull(let rest):
            exchange.run = nil
            self.pull(exchange, continuing: rest)
        }
        return true
    }

    /// Writes a piece of a response; flushes it unless another piece follows at once.
    func write(
        _ data: IOData,
        bodyBytes: Int64,
        lentBy loan: FileLoan? = nil,
        isFollowed: Bool = false,
        _ exchange: Exchange
    ) {
        guard let context else { return }
        exchange.outstandingWrites += 1
        exchange.allowance -= bodyBytes
        if bodyBytes > 0, exchange.firstByte == nil { exchange.firstByte = self.eventLoop.now }
        let promise = self.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { result in
            withExtendedLifetime(loan) {}
            if case .failure(let error) = result {
                loan?.failed(error)
                return
            }
            exchange.outstandingWrites -= 1
            exchange.sentByteCount += bodyBytes
            self.noteTaken(exchange)
            guard exchange.outstandingWrites == 0 else { return }
            if exchange.isWritten {
                self.finish(exchange)
            } else if exchange.run != nil {
                self.pump(exchange)
            }
        }
        if isFollowed {
            context.write(self.wrapOutboundOut(data), promise: promise)
        } else {
            context.writeAndFlush(self.wrapOutboundOut(data), promise: promise)
            self.noteStall(exchange)
        }
    }

    // MARK: Turns of the client

    /// Takes the client's next turn; its bytes count against the limit before they are sent.
    ///
    /// - Parameters:
    ///   - exchange: the response, which has used up its previous turn.
    ///   - wanted: how many bytes the response has to send, or more.
    ///   - goOn: called when the turn comes later than now, unless the response has ended.
    /// - Returns: whether the turn has come now.
    func takeTurn(
        _ exchange: Exchange,
        wanting wanted: Int64,
        goOn: @escaping () -> Void
    ) -> Bool {
        guard let pace else { return true }
        guard !exchange.awaitsTurn else { return false }
        let bytes = min(max(1, wanted), pace.turnSize)
        let bound = NIOLoopBound((self, exchange, goOn), eventLoop: self.eventLoop)
        let (client, id) = (self.client.id, self.claim.id)
        let (turn, limit) = pace.ask(for: bytes, by: client, on: id, self.eventLoop) {
            let (connection, exchange, goOn) = bound.value
            exchange.awaitsTurn = false
            exchange.allowance = bytes
            if connection.exchange === exchange {
                goOn()
            } else {
                connection.leaveTurn(exchange)
            }
        }
        exchange.turn = turn
        guard let limit else {
            exchange.allowance = bytes
            return true
        }
        exchange.awaitsTurn = true
        exchange.bytesInTurn = 0
        self.service.onEvent?(.limited(limit))
        return false
    }

    /// Returns the unused bytes of the client's turn after a response has ended.
    func leaveTurn(_ exchange: Exchange) {
        guard let pace, let turn = exchange.turn else { return }
        if exchange.awaitsTurn {
            // If the turn was granted in this moment, its callback returns the bytes.
            if pace.left(turn) { exchange.turn = nil }
        } else {
            exchange.turn = nil
            pace.returned(exchange.allowance, of: turn, on: self.eventLoop)
        }
    }

    /// Runs work after the event loop has polled its sockets.
    ///
    /// A task that the event loop submits to itself runs before the next poll, and so do the tasks
    /// that this task submits. So another thread submits the work.
    func afterOthers(_ work: @escaping () -> Void) {
        // There is no direct socket in a test, whose event loop has no other connections, and on
        // systems other than Linux.
        guard self.sender.socket != nil else {
            return self.eventLoop.assumeIsolated().execute(work)
        }
        let bound = NIOLoopBound(work, eventLoop: self.eventLoop)
        DispatchQueue.global(qos: .userInitiated).async { [eventLoop] in
            eventLoop.execute { bound.value() }
        }
    }
}
