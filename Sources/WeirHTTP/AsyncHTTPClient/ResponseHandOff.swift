// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization
import WeirSource

/// Stands between the client's event loop and the consumer of one answer.
final class ResponseHandOff: HTTPClientResponseDelegate {
    typealias Response = Void
    private typealias Machine = HandOffMachine<
        ByteBuffer, CheckedContinuation<ByteBuffer?, any Error>, EventLoopPromise<Void>
    >

    private struct State {
        /// The head, or the first error before the consumer got it.
        var head: Result<HTTPResponseHead, any Error>?
        var headWaiter: CheckedContinuation<HTTPResponseHead, any Error>?
        var body = Machine()
        var task: HTTPClient.Task<Void>?
        var isAborted = false

        /// Fails the head for a later consumer, and returns the one that waits for it now.
        mutating func takeHeadWaiter(failing error: any Error)
            -> CheckedContinuation<HTTPResponseHead, any Error>?
        {
            if case .failure = self.head { return nil }
            self.head = .failure(error)
            return self.headWaiter.take()
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
                if state.head == nil { state.headWaiter = continuation }
                return state.head
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
        if let (continuation, outcome) = effects.waiter { continuation.resume(with: outcome) }
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
            if state.head == nil { state.head = .success(head) }
            return state.headWaiter.take()
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
