// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import WeirHTTP
import WeirSource

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Connects the platform's threads with the consumer of one response.
final class Delivery: Sendable {
    /// The head of a response, as parsed by the platform.
    typealias Head = (status: Int, headers: HTTPHeaderList, framing: BodyFraming)
    private typealias Machine = DeliveryMachine<
        Head, ByteMemory, CheckedContinuation<Head, any Error>,
        CheckedContinuation<ByteMemory?, any Error>
    >

    private struct State {
        var machine: Machine
        var task: URLSessionDataTask?
        var isAborted = false
    }

    private let method: String
    private let session: SharedSession
    private let state: Mutex<State>
    /// Signalled when the flow is no longer held.
    private let released = DispatchSemaphore(value: 0)
    /// Whether the task is suspended; taken before `state`, never after it.
    private let isSuspended = Mutex(false)

    /// Creates a delivery for a response that is not yet requested.
    init(method: String, session: SharedSession, backlog: Int) {
        self.method = method
        self.session = session
        self.state = Mutex(State(machine: Machine(slack: FlowControl.slack, limit: backlog)))
    }

    /// Sends the request.
    ///
    /// - Returns: whether the request was sent.
    func start(_ request: URLRequest) -> Bool {
        guard !self.state.withLock({ $0.isAborted }) else { return false }
        guard let task = self.session.task(for: request, delivery: self) else {
            self.failed(HTTPTransportError.closed)
            return false
        }
        let isAborted = self.state.withLock { state in
            state.task = task
            return state.isAborted
        }
        if isAborted { self.session.cancel(task) } else { task.resume() }
        return !isAborted
    }

    /// The head of the response.
    ///
    /// - Throws: ``/WeirHTTP/HTTPTransportError``; `CancellationError` after ``cancel()``.
    func head() async throws -> Head {
        try await withCheckedThrowingContinuation { continuation in
            self.perform { $0.headAwaited(continuation) }
        }
    }

    /// The next piece of the body.
    func next() async throws -> ByteMemory? {
        try await withCheckedThrowingContinuation { continuation in
            self.perform { $0.pulled(continuation) }
        }
    }

    /// Cancels the request, so that every wait ends now.
    func cancel() {
        self.perform { $0.cancelled() }
    }

    /// Fails the request; cancels it, too, if `aborts` is true.
    func failed(_ error: any Error, aborts: Bool = false) {
        self.perform { $0.failed(error, aborts: aborts) }
    }

    // MARK: Events of the platform

    /// Takes a head; skips 1xx heads, except 101, which fails the request.
    func received(_ response: HTTPURLResponse) {
        let status = response.statusCode
        guard status != 101 else { return self.failed(HTTPTransportError.upgrade, aborts: true) }
        guard status >= 200 else { return }
        let headers = HTTPHeaderList(
            received: response.allHeaderFields.flatMap { name, value -> [(String, String)] in
                guard let name = name as? String, let value = value as? String else { return [] }
                guard name.lowercased() == "set-cookie" else { return [(name, value)] }
                return JoinedCookies.split(value).map { (name, $0) }
            }
        )
        let framing = BodyFraming(method: self.method, status: status, headers: headers)
        guard framing != .unclear else {
            return self.failed(
                HTTPTransportError.unclearLength(headers.values(of: "Content-Length")),
                aborts: true
            )
        }
        self.perform {
            $0.headReceived((status, headers, framing), bodyLength: framing.length)
        }
        if framing == .coded { self.failed(HTTPTransportError.coded, aborts: true) }
    }

    /// Takes bytes of the body.
    func received(_ data: Data) {
        guard !data.isEmpty else { return }
        let memory = ByteMemory(owner: data, count: data.count) { data, body in
            data.withUnsafeBytes(body)
        }
        self.perform { $0.pieceReceived(memory, count: data.count) }
        if self.session.flow == .braking { self.brake() }
    }

    /// Ends a complete response; the platform still waits for a credential, which it will not get.
    func challenged(_ task: URLSessionTask) {
        self.perform { $0.ended() }
        self.session.cancel(task)
    }

    /// Takes the end of the task.
    func completed(_ response: URLResponse?, _ error: (any Error)?) {
        guard let error else {
            // FoundationNetworking reports a 3xx without a usable Location to its delegate only
            // here.
            let hasHead = self.state.withLock { $0.machine.hasHead }
            if !hasHead, let response = response as? HTTPURLResponse { self.received(response) }
            self.perform { $0.ended() }
            return
        }
        let hasHead = self.state.withLock { $0.machine.hasHead }
        self.failed(HTTPTransportError(session: error, hasHead: hasHead))
    }

    /// Runs the machine under the lock, and performs its effects outside.
    private func perform(_ event: (inout Machine) -> Machine.Effects) {
        let (effects, task) = self.state.withLock { state in
            let effects = event(&state.machine)
            if effects.aborts { state.isAborted = true }
            return (effects, state.task)
        }
        switch self.session.flow {
        case .braking: if effects.holds == false { self.released.signal() }
        case .suspending: if effects.holds != nil { self.control(task) }
        }
        if effects.aborts, let task { self.session.cancel(task) }
        if let (waiter, outcome) = effects.headWaiter { waiter.resume(with: outcome) }
        if let (waiter, outcome) = effects.pieceWaiter { waiter.resume(with: outcome) }
    }

    /// Blocks the reading thread for a moment while the flow is held.
    private func brake() {
        // A signal from an earlier hold ends the wait early, once; the next piece waits in full.
        guard self.state.withLock({ $0.machine.isHeld }) else { return }
        _ = self.released.wait(timeout: .now() + .milliseconds(FlowControl.brake))
    }

    /// Suspends or resumes the task as the machine now requires.
    private func control(_ task: URLSessionDataTask?) {
        // Two threads may arrive in the wrong order: the machine's current state counts.
        self.isSuspended.withLock { isSuspended in
            let isHeld = self.state.withLock { $0.machine.isHeld }
            guard isHeld != isSuspended else { return }
            isSuspended = isHeld
            if isHeld { task?.suspend() } else { task?.resume() }
        }
    }
}

/// The consumer's side of a body; dropping it cancels the request.
final class AnswerBody: HTTPBody {
    private let delivery: Delivery

    init(_ delivery: Delivery) {
        self.delivery = delivery
    }

    deinit {
        self.delivery.cancel()
    }

    func next() async throws -> ByteMemory? {
        try await withTaskCancellationHandler {
            try await self.delivery.next()
        } onCancel: {
            self.delivery.cancel()
        }
    }

    func cancel() {
        self.delivery.cancel()
    }
}
