// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// What a ``ColdReader`` asks of its connection.
extension ConnectionHandler {
    /// Starts to pull what is not resident.
    ///
    /// - Parameters:
    ///   - exchange: the response.
    ///   - rest: what is missing of a body whose head has been written; `nil` for a response that
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
        // Owned by the exchange, which ends with its response or its connection and then cancels
        // it; it ends when it has written the last byte, or at the next thing it waits for after
        // being cancelled.
        exchange.task = Task(executorPreference: EventLoopExecutor(self.eventLoop)) {
            await reader.run()
            registry.taskEnded()
        }
    }

    /// A resource has been described: the head is written.
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
        self.sendHead(plan, of: description, request, exchange)
        return self.exchange === exchange
    }

    /// A chunk has come; returns when there is room for another.
    ///
    /// - Throws: `CancellationError` when the response is no longer wanted; `SourceError`
    ///   when the chunk's file cannot be read.
    func deliver(_ chunk: ByteChunk, _ exchange: Exchange) async throws {
        switch chunk.content {
        case .memory(let memory):
            try self.deliver(.byteBuffer(ByteBuffer(memory)), chunk.count, nil, exchange)
            try await self.waitForRoom(exchange)
        case .resident(let slice):
            var rest = slice
            while !rest.range.isEmpty {
                guard let piece = ResidentPiece(rest, upTo: Self.pieceSize) else {
                    throw SourceError(
                        .cacheFailed,
                        "A cached file is shorter than what it should hold."
                    )
                }
                rest = rest.clamped(to: piece.range.upperBound..<rest.range.upperBound)
                let count = Int(piece.range.upperBound - piece.range.lowerBound)
                try self.deliver(piece.data, count, piece.loan, exchange)
                try await self.waitForRoom(exchange)
            }
        }
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
            guard exchange.bytesInTurn >= Self.shortTurnSize else { return }
            self.goOnLater(exchange)
        }
        try await withCheckedThrowingContinuation { exchange.waiter = $0 }
    }

    /// Lets others have their turn, and then the task that is about to wait go on.
    private func goOnLater(_ exchange: Exchange) {
        exchange.bytesInTurn = 0
        self.afterOthers {
            guard let waiter = exchange.waiter else { return }
            exchange.waiter = nil
            waiter.resume()
        }
    }
}

extension ByteBuffer {
    /// The bytes as they are, if a buffer holds them, or else a copy.
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

/// Answers one request from a source that has to be waited for.
///
/// Runs as a task on the connection's event loop. Pulls the next chunk only when the connection has
/// room for it, and drops the reading as soon as the response is no longer wanted.
struct ColdReader: Sendable {
    /// What is missing of a body whose head has been written.
    struct Continuation: Sendable {
        let range: Range<Int64>
        let description: ResourceDescription

        init(range: Range<Int64>, of description: ResourceDescription) {
            self.range = range
            self.description = description
        }
    }

    let source: any ByteSource
    let request: RequestHead
    let continuation: Continuation?
    let connection: NIOLoopBound<ConnectionHandler>
    let exchange: NIOLoopBound<Exchange>

    /// Answers the request, or what is left of it.
    func run() async {
        do {
            if let continuation {
                try await self.resume(continuation)
            } else {
                try await self.respond()
            }
        } catch {
            self.connection.value.failed(error, self.exchange.value)
        }
    }

    private func respond() async throws {
        let (plan, description, reading) = try await self.open()
        let isAwaited = self.connection.value.described(plan, of: description, self.exchange.value)
        guard isAwaited, let reading else { return }
        switch plan.body {
        case .none: break
        case .bytes(let part):
            try await self.send(reading, from: part.lowerBound, to: part.upperBound)
        case .untilEnd: try await self.send(reading, from: 0, to: nil)
        }
    }

    private func resume(_ continuation: Continuation) async throws {
        let known = continuation.description
        let reading = try await self.source.read(
            ReadDemand(.span(continuation.range), pinnedTo: known.pin)
        )
        let found = reading.description
        // What was evicted meanwhile comes in another generation; its validator vouches for the rest of it.
        let isVouchedFor = known.validator != nil && found.validator == known.validator
        guard found.length == nil || found.length == known.length,
            isVouchedFor || found.generation == nil || known.generation == nil
                || found.generation == known.generation
        else { throw Self.changed }
        try await self.send(
            reading,
            from: continuation.range.lowerBound,
            to: continuation.range.upperBound
        )
    }

    /// Has the resource described and, where there is a body, a reading begun that is that body.
    ///
    /// The first reading is of what the client asks for, since its answer brings the description.
    /// If that says that something else is due (the client knows another generation, or the length
    /// is unknown), the reading is dropped for the right one.
    private func open() async throws -> (ResponsePlan, ResourceDescription, ByteReading?) {
        var demand = self.firstDemand
        for _ in 0..<4 {
            let (description, reading) = try await self.answer(to: demand)
            let plan = ResponsePlan(for: self.request, of: description)
            switch plan.body {
            case .none:
                return (plan, description, nil)
            case .bytes(let part):
                if let reading, reading.lowerBound == part.lowerBound,
                    reading.upperBound.map({ $0 >= part.upperBound }) ?? true
                {
                    return (plan, description, reading)
                }
                demand = ReadDemand(.span(part))
            case .untilEnd:
                if let reading, demand?.range == .whole { return (plan, description, reading) }
                demand = ReadDemand(.whole)
            }
        }
        throw Self.changed
    }

    /// The description, and the reading if one was demanded and the range exists.
    private func answer(
        to demand: ReadDemand?
    ) async throws -> (ResourceDescription, ByteReading?) {
        guard let demand else { return (try await self.source.describe(), nil) }
        do {
            let reading = try await self.source.read(demand)
            return (reading.description, reading)
        } catch let failure as SourceError where failure.code == .rangeNotSatisfiable {
            // A condition may come before the range, or make it irrelevant.
            guard self.request.isConditional else { throw failure }
            return (try await self.source.describe(), nil)
        }
    }

    /// What is read first; `nil` where no byte is wanted.
    private var firstDemand: ReadDemand? {
        guard self.request.method == .get else { return nil }
        return switch self.request.range {
        case .ignored: ReadDemand(.whole)
        case .one(let range): ReadDemand(range)
        case .unsatisfiable: nil
        }
    }

    /// Sends what a reading yields, checked to be what was promised.
    ///
    /// - Parameters:
    ///   - reading: what is sent.
    ///   - start: where it must start.
    ///   - end: where it must reach to; `nil` to send what comes.
    /// - Throws: what the reading throws; `SourceError` with `badAnswer` or `truncated` for other
    ///   bytes than were promised; `CancellationError` when they are no longer wanted.
    private func send(_ reading: ByteReading, from start: Int64, to end: Int64?) async throws {
        var position = start
        for try await chunk in reading {
            guard chunk.range.lowerBound == position,
                let wanted = chunk.clamped(to: position..<max(position, end ?? .max))
            else { throw Self.badChunk }
            try await self.connection.value.deliver(wanted, self.exchange.value)
            position = wanted.range.upperBound
            if position == end { break }
        }
        guard end == nil || position == end else {
            throw SourceError(
                .truncated,
                "The resource ended before the end that it had announced."
            )
        }
        self.connection.value.delivered(self.exchange.value)
    }

    private static let changed = SourceError(
        .changed,
        "The resource changed while it was read; play it again to hear the new one."
    )
    private static let badChunk = SourceError(
        .badAnswer,
        "The source yielded other bytes than those that were asked for."
    )
}
