// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// The calls of a ``ColdReader`` to its connection.
extension ConnectionHandler {
    /// Starts to pull bytes that are not resident.
    ///
    /// - Parameters:
    ///   - exchange: the response.
    ///   - rest: the missing part of a body whose head has been written; `nil` for a response that
    ///     has not begun.
    func pull(_ exchange: Exchange, continuing rest: Range<Int64>? = nil) {
        guard let source = exchange.source, case .head(let request) = exchange.request else {
            return
        }
        let reader = ColdReader(
            source: source,
            request: request,
            continuation: rest.flatMap { rest in
                exchange.description.map { ColdReader.Continuation(range: rest, of: $0) }
            },
            connection: NIOLoopBound(self, eventLoop: self.eventLoop),
            exchange: NIOLoopBound(exchange, eventLoop: self.eventLoop)
        )
        let registry = self.service.registry
        registry.taskBegan()
        // Owned by the exchange, which cancels it when the response or the connection ends. It ends
        // after the last byte, or at its next suspension after it was cancelled.
        exchange.task = Task(executorPreference: EventLoopExecutor(self.eventLoop)) {
            [request = ClientRequest(exchange.id, from: self.client.id, for: exchange.target)] in
            await ClientRequest.$current.withValue(request) { await reader.run() }
            registry.taskEnded()
        }
    }

    /// Answers a request from bytes that were opened just now.
    ///
    /// - Returns: false if the source must be asked.
    func serveOpened(_ request: RequestHead, _ exchange: Exchange) -> Bool {
        guard self.exchange === exchange, let source = exchange.source else { return false }
        return self.serveResident(request, exchange, source)
    }

    /// Notes how much of the requested range is held, before anything is fetched for it.
    func noteHeld(_ exchange: Exchange) {
        guard case .head(let request) = exchange.request, let source = exchange.source else {
            return
        }
        var asked = RequestedRange.whole
        if case .one(let range) = request.range { asked = range }
        let availability = source.availability
        let part = availability.length.flatMap { asked.resolved(inLength: $0) }
        exchange.noteHeld(part, availability.held)
    }

    /// Writes the head after a resource has been described.
    ///
    /// - Returns: false if the response is no longer wanted.
    func described(
        _ plan: ResponsePlan,
        of description: ResourceDescription,
        _ exchange: Exchange
    ) -> Bool {
        guard self.exchange === exchange, case .head(let request) = exchange.request else {
            return false
        }
        switch plan.body {
        case .bytes(let part): exchange.body = part
        case .none: exchange.content = .none
        case .untilEnd: exchange.content = .stream
        }
        self.sendHead(plan, of: description, request, exchange)
        return self.exchange === exchange
    }

    /// Sends a chunk, and returns when there is room for the next one.
    ///
    /// - Throws: `CancellationError` when the response is no longer wanted; `SourceError`
    ///   when the chunk's file cannot be read.
    func deliver(_ chunk: ByteChunk, _ exchange: Exchange) async throws {
        self.endWait(exchange)
        switch chunk.content {
        case .memory(let memory):
            var rest = ByteBuffer(memory)
            var position = chunk.range.lowerBound
            while rest.readableBytes > 0 {
                if exchange.allowance <= 0 { try await self.waitForTurn(exchange, at: position) }
                let count = Int(min(Int64(rest.readableBytes), exchange.allowance))
                guard let piece = rest.readSlice(length: count) else { break }
                position += Int64(count)
                try self.deliver(.byteBuffer(piece), count, nil, exchange)
                try await self.waitForRoom(exchange)
            }
        case .resident(let slice):
            var rest = slice
            while !rest.range.isEmpty {
                if exchange.allowance <= 0 {
                    try await self.waitForTurn(exchange, at: rest.range.lowerBound)
                }
                guard let piece = ResidentPiece(rest, upTo: HeldSender.pieceSize(exchange)) else {
                    throw SourceError(
                        .cacheFailed,
                        "A cached file is shorter than it should be."
                    )
                }
                rest = rest.clamped(to: piece.range.upperBound..<rest.range.upperBound)
                let count = Int(piece.range.upperBound - piece.range.lowerBound)
                try self.deliver(piece.data, count, piece.loan, exchange)
                try await self.waitForRoom(exchange)
            }
        }
        exchange.wait(from: self.eventLoop.now)
    }

    /// Ends a wait in mid-response, and reports it if it was too long.
    private func endWait(_ exchange: Exchange) {
        if exchange.endWait(at: self.eventLoop.now) { self.service.onEvent?(.underrun) }
    }

    /// The last chunk has been delivered.
    func delivered(_ exchange: Exchange) {
        guard self.exchange === exchange else { return }
        exchange.isWritten = true
        if exchange.framing == .chunked {
            self.write(.byteBuffer(ByteBuffer(string: "0\r\n\r\n")), bodyBytes: 0, exchange)
        } else if exchange.outstandingWrites == 0 {
            self.finish(exchange)
        }
    }

    /// The source has failed.
    func failed(_ failure: any Error, _ exchange: Exchange) {
        guard self.exchange === exchange else { return }
        self.endWait(exchange)
        exchange.failure = failure
        if exchange.status == nil { exchange.content = .none }
        if exchange.status == nil {
            self.answer(PlainAnswer(failure), exchange)
        } else {
            self.cutShort(exchange)
        }
    }

    private func deliver(
        _ data: IOData,
        _ count: Int,
        _ loan: FileLoan?,
        _ exchange: Exchange
    ) throws {
        guard self.exchange === exchange, let context else { throw CancellationError() }
        exchange.bytesInTurn += Int64(count)
        guard exchange.framing == .chunked else {
            return self.write(data, bodyBytes: Int64(count), lentBy: loan, exchange)
        }
        let size = ByteBuffer(string: String(count, radix: 16) + "\r\n")
        context.write(self.wrapOutboundOut(.byteBuffer(size)), promise: nil)
        self.write(data, bodyBytes: Int64(count), lentBy: loan, isFollowed: true, exchange)
        self.write(.byteBuffer(ByteBuffer(string: "\r\n")), bodyBytes: 0, exchange)
    }

    private func waitForRoom(_ exchange: Exchange) async throws {
        guard self.exchange === exchange, let context else { throw CancellationError() }
        if context.channel.isWritable {
            guard exchange.bytesInTurn >= HeldSender.shortTurnSize else { return }
            exchange.bytesInTurn = 0
            self.afterOthers { self.wake(exchange) }
        }
        try await withCheckedThrowingContinuation { exchange.waiter = $0 }
    }

    /// Waits until bytes from a position on may be sent.
    private func waitForTurn(_ exchange: Exchange, at position: Int64) async throws {
        guard self.exchange === exchange else { throw CancellationError() }
        // The length of a stream is unknown.
        let rest = exchange.body.isEmpty ? .max : exchange.body.upperBound - position
        if self.takeTurn(exchange, wanting: rest, goOn: { self.wake(exchange) }) { return }
        while exchange.awaitsTurn {
            try await withCheckedThrowingContinuation { exchange.waiter = $0 }
        }
    }

    private func wake(_ exchange: Exchange) {
        guard let waiter = exchange.waiter else { return }
        exchange.waiter = nil
        waiter.resume()
    }
}

extension ByteBuffer {
    /// Shares the bytes if they are in a `ByteBuffer`, or else copies them.
    init(_ memory: ByteMemory) {
        let bounds = memory.bounds
        if let owner = memory.owner as? ByteBuffer,
            let slice = owner.getSlice(
                at: owner.readerIndex + bounds.lowerBound,
                length: bounds.count
            )
        {
            self = slice
        } else {
            self = memory.withUnsafeBytes { ByteBuffer(bytes: $0) }
        }
    }
}
