// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// A request and its response over one connection; one consumer pulls it as the response's body.
///
/// When the response has ended, the connection rests for another exchange, whether or not the consumer has pulled
/// the end. An exchange that is dropped or cancelled earlier closes its connection with a reset.
final class Exchange: HTTPBody {
    fileprivate struct State {
        var parser: AnswerParser
        /// The received bytes; those from ``offset`` on are not parsed.
        var bytes = ByteMemory.empty
        var offset = 0
        /// A piece of the body that was found during the search for the end, or the failure of that search.
        var next: Result<ByteMemory, HTTPTransportError>?
        var hasHead = false
        var keepsConnection = false
        /// How the exchange has ended; `nil` while it runs.
        var ending: Ending?
    }

    fileprivate enum Ending {
        case whole
        case cancelled
        case failed(HTTPTransportError)
    }

    fileprivate enum Finding {
        case piece(ByteMemory)
        case end
        case needsMore
    }

    private let connection: any ByteConnection
    private let endpoint: Endpoint
    private let connections: IdleConnections
    private let whenSent: (@Sendable () -> Void)?
    private let state: Mutex<State>

    init(
        _ connection: any ByteConnection,
        to endpoint: Endpoint,
        of request: HTTPTransportRequest,
        among connections: IdleConnections
    ) {
        self.connection = connection
        self.endpoint = endpoint
        self.connections = connections
        self.whenSent = request.whenSent
        let parser = AnswerParser(
            AnswerParser.Request(
                method: request.method,
                isStation: request.headers.contains(StationRoute.titlesHeader)
            )
        )
        self.state = Mutex(State(parser: parser))
    }

    deinit {
        self.cancel()
    }

    /// Whether a byte of the response has arrived.
    var hasBegun: Bool { self.state.withLock { $0.parser.hasBegun } }

    /// Sends the request and returns when the response's head has arrived.
    func answer(to bytes: [UInt8]) async throws -> HTTPTransportResponse {
        self.connection.send(bytes, sent: self.whenSent)
        while true {
            if let head = try self.parseHead() {
                return HTTPTransportResponse(
                    status: head.status,
                    headers: head.headers,
                    body: self,
                    isEndProven: head.framing != .untilClose
                )
            }
            try await self.receive(readsAhead: false)
        }
    }

    /// The next piece of the body.
    func next() async throws -> ByteMemory? {
        while true {
            switch try self.find() {
            case .piece(let memory): return memory
            case .end: return nil
            case .needsMore: try await self.receive(readsAhead: true)
            }
        }
    }

    /// Ends the exchange for a consumer that needs no more.
    ///
    /// A response whose last byte has arrived still counts as complete.
    func cancel() {
        let (wasOpen, isWhole) = self.state.withLock { state in
            let wasOpen = state.ending == nil
            let isWhole = state.drain()
            (state.next, state.bytes, state.offset) = (nil, .empty, 0)
            if wasOpen { state.ending = .cancelled }
            return (wasOpen, isWhole)
        }
        guard wasOpen else { return }
        if isWhole == true {
            self.connections.rest(self.connection, to: self.endpoint)
        } else {
            self.connections.discard(self.connection, resetting: isWhole == nil)
        }
    }

    // MARK: Received bytes

    /// Waits for the connection's next bytes or its end.
    private func receive(readsAhead: Bool) async throws {
        let memory: ByteMemory?
        do {
            memory = try await withTaskCancellationHandler {
                try await self.connection.receive(readsAhead: readsAhead)
            } onCancel: {
                self.cancel()
            }
        } catch {
            throw self.failed(error)
        }
        if let memory {
            self.state.withLock { ($0.bytes, $0.offset) = (memory, 0) }
        } else {
            do throws(HTTPTransportError) {
                try self.state.withLock { state throws(HTTPTransportError) in
                    try state.parser.inputEnded()
                }
            } catch {
                throw self.failed(error)
            }
            self.finish(keepsConnection: false)
        }
    }

    private func parseHead() throws -> AnswerHeadLines? {
        do throws(HTTPTransportError) {
            return try self.state.withLock { state throws(HTTPTransportError) in
                guard case .head(let head) = try state.step() else { return nil }
                (state.hasHead, state.keepsConnection) = (true, head.keepsConnection)
                return head
            }
        } catch {
            throw self.failed(error)
        }
    }

    /// The next piece in the received bytes; also finishes the exchange if the response ends behind it.
    private func find() throws -> Finding {
        var isWhole: Bool?
        let finding: Finding
        do throws(HTTPTransportError) {
            finding = try self.state.withLock { state throws(HTTPTransportError) in
                try state.find(&isWhole)
            }
        } catch {
            throw self.failed(error)
        }
        if let isWhole { self.finish(keepsConnection: isWhole) }
        if case .needsMore = finding {
            switch self.state.withLock({ $0.ending }) {
            case .whole: return .end
            case .cancelled: throw CancellationError()
            case .failed(let error): throw error
            case nil: break
            }
        }
        return finding
    }

    /// Records that the response has ended.
    private func finish(keepsConnection: Bool) {
        let isFirst = self.state.withLock { state in
            defer { if state.ending == nil { state.ending = .whole } }
            return state.ending == nil
        }
        guard isFirst else { return }
        if keepsConnection {
            self.connections.rest(self.connection, to: self.endpoint)
        } else {
            self.connections.discard(self.connection, resetting: false)
        }
    }

    /// Records a failure, closes the connection, and returns the error for the consumer.
    private func failed(_ error: any Error) -> any Error {
        let failure =
            error as? HTTPTransportError
            ?? HTTPTransportError(.connectionLost, "the connection failed", cause: error)
        let ending = self.state.withLock { state in
            if state.ending == nil { state.ending = .failed(failure) }
            return state.ending
        }
        self.connections.discard(self.connection, resetting: true)
        if case .cancelled = ending { return CancellationError() }
        return failure
    }
}

extension Exchange.State {
    /// Runs one step of the parser over the received bytes.
    fileprivate mutating func step() throws(HTTPTransportError) -> AnswerParser.Step {
        var (parser, offset) = (self.parser, self.offset)
        defer { (self.parser, self.offset) = (parser, offset) }
        return try self.bytes.withUnsafeBytes { bytes throws(HTTPTransportError) in
            try parser.next(in: bytes, from: &offset)
        }
    }

    /// The next piece.
    ///
    /// Also parses behind the piece, so that a response whose last byte has arrived counts as ended.
    ///
    /// - Parameter isWhole: set when the response has ended, to whether its connection can be used again.
    /// - Returns: the piece, the end, or ``Exchange/Finding/needsMore``.
    /// - Throws: the errors of the parser.
    fileprivate mutating func find(
        _ isWhole: inout Bool?
    ) throws(HTTPTransportError) -> Exchange.Finding {
        let found: ByteMemory?
        if let next = self.next.take() {
            found = try next.get()
        } else {
            found = try self.readPiece(&isWhole)
        }
        guard let piece = found else { return isWhole == nil ? .needsMore : .end }
        do throws(HTTPTransportError) {
            self.next = try self.readPiece(&isWhole).map { .success($0) }
        } catch {
            self.next = .failure(error)
        }
        return .piece(piece)
    }

    /// The next piece of the body in the received bytes.
    private mutating func readPiece(
        _ isWhole: inout Bool?
    ) throws(HTTPTransportError) -> ByteMemory? {
        guard self.ending == nil, isWhole == nil else { return nil }
        switch try self.step() {
        case .body(let range):
            return self.bytes[range]
        case .end:
            // Bytes behind the end belong to no requested response.
            isWhole = self.keepsConnection && self.offset == self.bytes.count
            fallthrough
        case .needsMore, .head:
            (self.bytes, self.offset) = (.empty, 0)
            return nil
        }
    }

    /// Reads and discards the received bytes.
    ///
    /// - Returns: whether the connection can be used again; `nil` if the response has not ended.
    fileprivate mutating func drain() -> Bool? {
        guard self.hasHead else { return nil }
        var isWhole: Bool?
        do throws(HTTPTransportError) {
            while try self.readPiece(&isWhole) != nil {}
        } catch {
            return nil
        }
        return isWhole
    }
}
