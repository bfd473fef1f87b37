// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization
internal import WeirSource

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
