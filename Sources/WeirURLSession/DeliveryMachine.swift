// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP

/// Hands one answer from the platform, which pushes it, to the consumer that pulls it.
///
/// What the consumer has not pulled yet is kept. When it is more than the slack, the flow is held, until
/// nothing is kept any more. A platform that stops a little later, or hardly at all, is tolerated up to the
/// limit; then the request is given up. What is kept is still handed on, and after it the body fails as
/// a lost connection does, so that a consumer that wants more asks again from there. The last piece of a body
/// with a length neither holds nor breaks a limit, so that its connection is free before it is taken.
struct DeliveryMachine<Head, Piece, HeadWaiter, PieceWaiter> {
    /// What to do, each independent of the others, outside of the lock.
    struct Effects {
        var headWaiter: (HeadWaiter, Result<Head, any Error>)?
        /// `nil` is the end.
        var pieceWaiter: (PieceWaiter, Result<Piece?, any Error>)?
        /// Whether the flow has begun or ceased to be held.
        var holds: Bool?
        /// Whether the request is to be given up, and its connection closed.
        var aborts = false
    }

    /// The head, until its consumer takes it.
    private var head: Head?
    private var headWaiter: HeadWaiter?
    /// How the answer ended; `nil` while it is open.
    private var ending: Result<Void, any Error>?
    private let slack: Int
    private let limit: Int
    private var pieces: [(piece: Piece, count: Int)] = []
    /// How many bytes are kept.
    private var backlog = 0
    private var waiter: PieceWaiter?
    private var length: Int64?
    private var received: Int64 = 0
    /// Whether the platform is to bring nothing for now.
    private(set) var isHeld = false
    /// Whether the answer's head has come.
    private(set) var hasHead = false

    /// All bytes are here that the head announced.
    private var isComplete: Bool { self.length == self.received }

    /// An answer that is yet to come.
    ///
    /// - Parameters:
    ///   - slack: how many bytes may be kept without holding the flow.
    ///   - limit: how many bytes are kept at most, or one piece.
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

    /// The head came, of a body of this many bytes if it said so.
    ///
    /// A second one is another answer, which a task that was suspended may have begun: none of its bytes follows those of
    /// the first.
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

    /// A piece of the body came.
    mutating func pieceReceived(_ piece: Piece, count: Int) -> Effects {
        guard self.ending == nil else { return Effects() }
        self.received += Int64(count)
        if let length, self.received > length {
            return self.failed(HTTPTransportError.excess, aborts: true)
        }
        if let waiter = self.waiter.take() {
            return Effects(pieceWaiter: (waiter, .success(piece)))
        }
        // One piece is kept whatever its size, or there would be no progress at all.
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

    /// The platform says that the answer is complete.
    ///
    /// A body shorter than announced is a failure nonetheless.
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

    /// The request failed; pieces that are kept are still handed on.
    mutating func failed(_ error: any Error, aborts: Bool = false) -> Effects {
        guard self.ending == nil else { return Effects() }
        self.ending = .failure(error)
        var effects = Effects(holds: self.release(), aborts: aborts)
        effects.headWaiter = self.headWaiter.take().map { ($0, .failure(error)) }
        effects.pieceWaiter = self.waiter.take().map { ($0, .failure(error)) }
        return effects
    }

    /// The consumer wants the next piece.
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

    /// The consumer has gone.
    ///
    /// A request that has got its last byte is not given up: its connection is as good as new.
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

/// What an answer itself can do wrong, whatever the platform says of it.
extension HTTPTransportError {
    /// It ended before it began.
    static var noHead: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection closed without an answer")
    }

    /// Its body has fewer bytes than it announced.
    static var cutShort: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the body ended before its announced end")
    }

    /// The platform asked again, and another answer began.
    static var begunAnew: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection was lost, and the answer began anew")
    }

    /// Its body has more bytes than it announced.
    static var excess: HTTPTransportError {
        HTTPTransportError(.malformed, "more bytes than it announced")
    }

    /// It switches to a protocol that was not asked for.
    static var upgrade: HTTPTransportError {
        HTTPTransportError(.malformed, "it switches to another protocol unasked")
    }

    /// Its body has no length that can be understood.
    static func unclearLength(_ values: [String]) -> HTTPTransportError {
        let shown = values.joined(separator: ", ").utf8.filter { (0x20...0x7E).contains($0) }
        let value = String(decoding: shown.prefix(60), as: UTF8.self)
        return HTTPTransportError(.malformed, "Content-Length: \(value), which is not a length")
    }

    /// The platform takes the coding off its body, so that its bytes are not what was sent.
    static var coded: HTTPTransportError {
        HTTPTransportError(.malformed, "bytes in a coding that was not asked for")
    }

    /// More came than is kept for a consumer that does not pull.
    static var behind: HTTPTransportError {
        HTTPTransportError(.connectionLost, "the connection was given up, since nobody pulled")
    }

    /// The transport was shut down meanwhile.
    static var closed: HTTPTransportError {
        HTTPTransportError(.closed, "the transport was shut down")
    }
}
