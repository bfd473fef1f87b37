// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization
import WeirSource

/// Hands the parts of a body from the event loop that receives them to the consumer that pulls them.
///
/// At most one part is held. Each part comes with a demand: while that is not met, the client brings no
/// further one and stops reading from the socket. It is met when the consumer has taken the part, so
/// that the next is on its way while this one is used.
struct HandOffMachine<Part, Waiter, Demand> {
    /// What a waiter is told.
    enum Outcome {
        case part(Part)
        case end
        case failure(any Error)
        case cancelled
    }

    /// What to do, each independent of the others, outside of the lock.
    struct Effects {
        var waiter: (Waiter, Outcome)?
        /// To be met, or the client waits for ever.
        var demand: Demand?
        /// Whether the request is to be given up, and its connection closed.
        var aborts = false
    }

    private enum Ending: Sendable {
        case open
        case ended
        case failed(any Error)
        case cancelled
    }

    private var ending = Ending.open
    private var part: Part?
    private var demand: Demand?
    private var waiter: Waiter?
    /// How many bytes have yet to come, if the head said.
    private var unreceived: Int64?

    /// The head came; its demand is met by the first pull.
    mutating func headReceived(bodyLength: Int64?, demand: Demand) -> Effects {
        guard case .open = self.ending else { return Effects(demand: demand) }
        self.unreceived = bodyLength
        if self.waiter != nil { return Effects(demand: demand) }
        self.demand = demand
        return Effects()
    }

    /// A part came.
    mutating func partReceived(_ part: Part, count: Int, demand: Demand) -> Effects {
        if let unreceived { self.unreceived = max(0, unreceived.subtractingClamped(Int64(count))) }
        guard case .open = self.ending else { return Effects(demand: demand) }
        if let waiter = self.waiter.take() {
            return Effects(waiter: (waiter, .part(part)), demand: demand)
        }
        self.part = part
        self.demand = demand
        return Effects()
    }

    /// The body came to its end.
    mutating func ended() -> Effects {
        guard case .open = self.ending else { return Effects() }
        self.ending = .ended
        return Effects(waiter: self.waiter.take().map { ($0, .end) }, demand: self.demand.take())
    }

    /// The request failed; a part that is held is still handed on.
    mutating func failed(_ error: any Error) -> Effects {
        guard case .open = self.ending else { return Effects() }
        self.ending = .failed(error)
        return Effects(
            waiter: self.waiter.take().map { ($0, .failure(error)) },
            demand: self.demand.take()
        )
    }

    /// The consumer wants the next part.
    mutating func pulled(_ waiter: Waiter) -> Effects {
        if case .cancelled = self.ending { return Effects(waiter: (waiter, .cancelled)) }
        if let part = self.part.take() {
            return Effects(waiter: (waiter, .part(part)), demand: self.demand.take())
        }
        switch self.ending {
        case .ended: return Effects(waiter: (waiter, .end))
        case .failed(let error): return Effects(waiter: (waiter, .failure(error)))
        case .cancelled: return Effects(waiter: (waiter, .cancelled))
        case .open:
            self.waiter = waiter
            return Effects(demand: self.demand.take())
        }
    }

    /// The consumer has gone.
    ///
    /// A request whose last byte has come is not given up: its connection is as good as new.
    mutating func cancelled() -> Effects {
        var effects = Effects(
            waiter: self.waiter.take().map { ($0, .cancelled) },
            demand: self.demand.take()
        )
        self.part = nil
        if case .open = self.ending { effects.aborts = self.unreceived != 0 }
        self.ending = .cancelled
        return effects
    }
}

extension HandOffMachine: Sendable where Part: Sendable, Waiter: Sendable, Demand: Sendable {}

/// Stands between the client's event loop and whoever waits for one answer.
final class ResponseHandOff: HTTPClientResponseDelegate {
    typealias Response = Void
    private typealias Machine = HandOffMachine<
        ByteBuffer, CheckedContinuation<ByteBuffer?, any Error>, EventLoopPromise<Void>
    >

    private enum Head {
        case none
        case awaited(CheckedContinuation<HTTPResponseHead, any Error>)
        case arrived(HTTPResponseHead)
        case failed(any Error)
        case taken
    }

    private struct State {
        var head = Head.none
        var body = Machine()
        var task: HTTPClient.Task<Void>?
        var isAborted = false

        /// Who waits for the head, if anybody does; whoever comes later gets the error.
        mutating func takeHeadWaiter(failing error: any Error)
            -> CheckedContinuation<HTTPResponseHead, any Error>?
        {
            switch self.head {
            case .awaited(let continuation):
                self.head = .failed(error)
                return continuation
            case .none, .arrived:
                self.head = .failed(error)
                return nil
            case .failed, .taken:
                return nil
            }
        }
    }

    private let whenSent: (@Sendable () -> Void)?
    private let state = Mutex(State())

    init(whenSent: (@Sendable () -> Void)?) {
        self.whenSent = whenSent
    }

    /// The request is on its way.
    func started(_ task: HTTPClient.Task<Void>) {
        let isAborted = self.state.withLock { state in
            state.task = task
            return state.isAborted
        }
        if isAborted { task.cancel() }
        // A client that was shut down fails the task without a word to its delegate.
        task.futureResult.whenFailure { self.failed($0) }
    }

    /// The head of the answer.
    ///
    /// - Throws: what the client says; `CancellationError` after ``cancel()``.
    func head() async throws -> HTTPResponseHead {
        try await withCheckedThrowingContinuation { continuation in
            let outcome = self.state.withLock { state -> Result<HTTPResponseHead, any Error>? in
                switch state.head {
                case .arrived(let head):
                    state.head = .taken
                    return .success(head)
                case .failed(let error):
                    return .failure(error)
                case .none, .awaited, .taken:
                    state.head = .awaited(continuation)
                    return nil
                }
            }
            if let outcome { continuation.resume(with: outcome) }
        }
    }

    /// The next part of the body.
    func next() async throws -> ByteBuffer? {
        try await withCheckedThrowingContinuation { continuation in
            self.perform { $0.pulled(continuation) }
        }
    }

    /// The consumer has gone: everything that waits ends now.
    func cancel() {
        let waiter = self.state.withLock { $0.takeHeadWaiter(failing: CancellationError()) }
        waiter?.resume(throwing: CancellationError())
        self.perform { $0.cancelled() }
    }

    private func failed(_ error: any Error) {
        let waiter = self.state.withLock { $0.takeHeadWaiter(failing: error) }
        waiter?.resume(throwing: error)
        self.perform { $0.failed(error) }
    }

    /// Asks the machine under the lock, and does what it says outside.
    private func perform(_ event: (inout Machine) -> Machine.Effects) {
        let (effects, task) = self.state.withLock { state in
            let effects = event(&state.body)
            if effects.aborts { state.isAborted = true }
            return (effects, state.task)
        }
        if effects.aborts { task?.cancel() }
        effects.demand?.succeed()
        guard let (continuation, outcome) = effects.waiter else { return }
        switch outcome {
        case .part(let buffer): continuation.resume(returning: buffer)
        case .end: continuation.resume(returning: nil)
        case .failure(let error): continuation.resume(throwing: error)
        case .cancelled: continuation.resume(throwing: CancellationError())
        }
    }

    // MARK: What the client tells

    func didSendRequestHead(task: HTTPClient.Task<Void>, _ head: HTTPRequestHead) {
        self.whenSent?()
    }

    func didReceiveHead(task: HTTPClient.Task<Void>, _ head: HTTPResponseHead)
        -> EventLoopFuture<Void>
    {
        let demand = task.eventLoop.makePromise(of: Void.self)
        let isChunked = head.headers.contains(name: "Transfer-Encoding")
        let length =
            isChunked ? nil : head.headers.first(name: "Content-Length").flatMap(Int64.init)
        self.perform { $0.headReceived(bodyLength: length, demand: demand) }
        let waiter = self.state.withLock {
            state -> CheckedContinuation<HTTPResponseHead, any Error>? in
            switch state.head {
            case .awaited(let continuation):
                state.head = .taken
                return continuation
            case .none:
                state.head = .arrived(head)
            case .arrived, .failed, .taken:
                break
            }
            return nil
        }
        waiter?.resume(returning: head)
        return demand.futureResult
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Void>, _ buffer: ByteBuffer)
        -> EventLoopFuture<Void>
    {
        guard buffer.readableBytes > 0 else { return task.eventLoop.makeSucceededVoidFuture() }
        let demand = task.eventLoop.makePromise(of: Void.self)
        self.perform { $0.partReceived(buffer, count: buffer.readableBytes, demand: demand) }
        return demand.futureResult
    }

    func didReceiveError(task: HTTPClient.Task<Void>, _ error: any Error) {
        self.failed(error)
    }

    func didFinishRequest(task: HTTPClient.Task<Void>) throws {
        self.perform { $0.ended() }
    }
}
