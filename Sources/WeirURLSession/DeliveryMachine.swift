// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP

/// Passes one response from the platform, which pushes it, to the consumer, which pulls it.
///
/// The machine keeps the pieces that the consumer has not pulled. When they exceed the slack, the
/// machine holds the flow until no piece is kept. A platform may stop late, or hardly at all, so
/// the machine keeps pieces up to the limit. Beyond the limit it cancels the request: the consumer
/// still gets the kept pieces, and after them the body fails like a lost connection. The consumer
/// can then request the rest. The last piece of a body with a length neither holds the flow nor
/// exceeds the limit, so that its connection is free at once.
struct DeliveryMachine<Head, Piece, HeadWaiter, PieceWaiter> {
    /// The effects to perform outside of the lock; they are independent.
    struct Effects {
        var headWaiter: (HeadWaiter, Result<Head, any Error>)?
        /// `nil` means the end.
        var pieceWaiter: (PieceWaiter, Result<Piece?, any Error>)?
        /// `true` to hold the flow, `false` to release it, `nil` for no change.
        var holds: Bool?
        /// Whether to cancel the request and close its connection.
        var aborts = false
    }

    /// The head, until its consumer takes it.
    private var head: Head?
    private var headWaiter: HeadWaiter?
    /// How the response ended; `nil` while it is open.
    private var ending: Result<Void, any Error>?
    private let slack: Int
    private let limit: Int
    private var pieces: [(piece: Piece, count: Int)] = []
    /// How many bytes the kept pieces have.
    private var backlog = 0
    private var waiter: PieceWaiter?
    private var length: Int64?
    private var received: Int64 = 0
    /// Whether the platform should bring no more bytes for now.
    private(set) var isHeld = false
    /// Whether the response's head has arrived.
    private(set) var hasHead = false

    /// Whether all bytes that the head announced have arrived.
    private var isComplete: Bool { self.length == self.received }

    /// Creates a machine for a response.
    ///
    /// - Parameters:
    ///   - slack: how many bytes may be kept without holding the flow.
    ///   - limit: how many bytes may be kept, unless one piece alone has more.
    init(slack: Int, limit: Int) {
        self.slack = slack
        self.limit = limit
    }

    /// A consumer waits for the head.
    mutating func headAwaited(_ waiter: HeadWaiter) -> Effects {
        if let head = self.head.take() {
            return Effects(headWaiter: (waiter, .success(head)))
        }
        if case .failure(let error) = self.ending {
            return Effects(headWaiter: (waiter, .failure(error)))
        }
        self.headWaiter = waiter
        return Effects()
    }

    /// Takes the head, with the length of the body if it is known.
    ///
    /// A second head belongs to another response, which a suspended task may have begun. Its bytes
    /// must not follow the bytes of the first response.
    mutating func headReceived(_ head: Head, bodyLength: Int64?) -> Effects {
        guard self.ending == nil else { return Effects() }
        guard !self.hasHead else { return self.failed(HTTPTransportError.begunAnew, aborts: true) }
        self.hasHead = true
        self.length = bodyLength
        if let waiter = self.headWaiter.take() {
            return Effects(headWaiter: (waiter, .success(head)))
        }
        self.head = head
        return Effects()
    }

    /// Takes a piece of the body.
    mutating func pieceReceived(_ piece: Piece, count: Int) -> Effects {
        guard self.ending == nil else { return Effects() }
        self.received += Int64(count)
        if let length, self.received > length {
            return self.failed(HTTPTransportError.excess, aborts: true)
        }
        if let waiter = self.waiter.take() {
            return Effects(pieceWaiter: (waiter, .success(piece)))
        }
        // One piece is kept whatever its size; otherwise there would be no progress.
        let hasRoom = self.pieces.isEmpty || self.backlog + count <= self.limit
        guard self.isComplete || hasRoom else {
            return self.failed(HTTPTransportError.behind, aborts: true)
        }
        self.pieces.append((piece, count))
        self.backlog += count
        guard !self.isHeld, !self.isComplete, self.backlog > self.slack else { return Effects() }
        self.isHeld = true
        return Effects(holds: true)
    }

    /// Ends the response, which the platform reports as complete.
    ///
    /// A body shorter than announced is still a failure.
    mutating func ended() -> Effects {
        guard self.ending == nil else { return Effects() }
        guard self.hasHead else { return self.failed(HTTPTransportError.noHead) }
        guard self.length == nil || self.isComplete else {
            return self.failed(HTTPTransportError.cutShort)
        }
        self.ending = .success(())
        var effects = Effects(holds: self.release())
        effects.pieceWaiter = self.waiter.take().map { ($0, .success(nil)) }
        return effects
    }

    /// Fails the request; the consumer still gets the kept pieces.
    mutating func failed(_ error: any Error, aborts: Bool = false) -> Effects {
        guard self.ending == nil else { return Effects() }
        self.ending = .failure(error)
        var effects = Effects(holds: self.release(), aborts: aborts)
        effects.headWaiter = self.headWaiter.take().map { ($0, .failure(error)) }
        effects.pieceWaiter = self.waiter.take().map { ($0, .failure(error)) }
        return effects
    }

    /// The consumer pulls the next piece.
    mutating func pulled(_ waiter: PieceWaiter) -> Effects {
        if !self.pieces.isEmpty {
            let (piece, count) = self.pieces.removeFirst()
            self.backlog -= count
            let holds = self.pieces.isEmpty ? self.release() : nil
            return Effects(pieceWaiter: (waiter, .success(piece)), holds: holds)
        }
        switch self.ending {
        case .success: return Effects(pieceWaiter: (waiter, .success(nil)))
        case .failure(let error): return Effects(pieceWaiter: (waiter, .failure(error)))
        case nil:
            self.waiter = waiter
            return Effects()
        }
    }

    /// Ends the response for a consumer that needs no more.
    ///
    /// A request whose last byte has arrived is not cancelled: its connection can be used again.
    mutating func cancelled() -> Effects {
        self.pieces = []
        self.backlog = 0
        guard self.ending == nil else {
            if case .success = self.ending { self.ending = .failure(CancellationError()) }
            return Effects()
        }
        return self.failed(CancellationError(), aborts: !(self.hasHead && self.isComplete))
    }

    private mutating func release() -> Bool? {
        guard self.isHeld else { return nil }
        self.isHeld = false
        return false
    }
}

extension DeliveryMachine: Sendable
where Head: Sendable, Piece: Sendable, HeadWaiter: Sendable, PieceWaiter: Sendable {}

/// Failures of a response that the platform does not report.
extension HTTPTransportError {
    /// The response ended before its head.
    static var noHead: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection closed without an answer")
    }

    /// The body has fewer bytes than its head announced.
    static var cutShort: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the body ended before its announced end")
    }

    /// The platform sent the request again, and another response began.
    static var begunAnew: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection was lost, and the answer started again")
    }

    /// The body has more bytes than its head announced.
    static var excess: HTTPTransportError {
        HTTPTransportError(.malformed, "more bytes than it announced")
    }

    /// The response switches to an unrequested protocol.
    static var upgrade: HTTPTransportError {
        HTTPTransportError(.malformed, "it switches to another protocol without a request")
    }

    /// The length of the body is invalid.
    static func unclearLength(_ values: [String]) -> HTTPTransportError {
        let shown = values.joined(separator: ", ").utf8.filter { (0x20...0x7E).contains($0) }
        let value = String(decoding: shown.prefix(60), as: UTF8.self)
        return HTTPTransportError(.malformed, "Content-Length: \(value), which is not a length")
    }

    /// The platform decodes the body, so its bytes differ from the bytes that the server sent.
    static var coded: HTTPTransportError {
        HTTPTransportError(.malformed, "bytes in a coding that Weir did not request")
    }

    /// More bytes arrived than are kept for a consumer that does not pull.
    static var behind: HTTPTransportError {
        HTTPTransportError(
            .connectionLost,
            "the connection was closed because the reader stopped reading"
        )
    }

    /// The transport was shut down.
    static var closed: HTTPTransportError {
        HTTPTransportError(.closed, "the transport was shut down")
    }
}
