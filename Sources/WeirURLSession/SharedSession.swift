// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization
import WeirHTTP

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A session and its delegate, with the connections that it keeps.
final class SharedSession: Sendable {
    let flow: FlowControl
    private let delegate = SessionDelegate()
    private let session: URLSession
    private let isOpen = Mutex(true)
    /// Cancelling waits for the platform's own thread, so it happens elsewhere, in its order.
    private let cancellations = DispatchQueue(label: "weir.urlsession.cancellations")

    init(configuration: URLSessionConfiguration, flow: FlowControl) {
        self.flow = flow
        let queue = flow == .braking ? InlineQueue() : OperationQueue()
        queue.maxConcurrentOperationCount = 1
        self.session = URLSession(
            configuration: configuration,
            delegate: self.delegate,
            delegateQueue: queue
        )
    }

    /// A task that is not yet started; `nil` when the session is closed.
    func task(for request: URLRequest, delivery: Delivery) -> URLSessionDataTask? {
        self.isOpen.withLock { isOpen in
            // A session that was invalidated traps when it is given a task.
            guard isOpen else { return nil }
            let task = self.session.dataTask(with: request)
            self.delegate.register(delivery, for: task)
            return task
        }
    }

    /// Ends a task and its connection, soon.
    func cancel(_ task: URLSessionTask) {
        self.cancellations.async { task.cancel() }
    }

    /// Closes all connections when what is under way has ended.
    func finish() {
        guard self.shut() else { return }
        self.session.finishTasksAndInvalidate()
    }

    /// Fails what is under way, and tells the session to close all connections, which it does soon after.
    func close() async {
        let wasOpen = self.shut()
        for delivery in self.delegate.deliveries {
            delivery.failed(HTTPTransportError.closed, aborts: true)
        }
        await withCheckedContinuation { continuation in
            self.cancellations.async { [session] in
                if wasOpen { session.invalidateAndCancel() }
                continuation.resume()
            }
        }
    }

    private func shut() -> Bool {
        self.isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
    }
}

/// Tells each delivery what the platform tells about its task.
///
/// Safe to share: its only state is behind a lock.
final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let registry = Mutex<[Int: Delivery]>([:])

    /// The deliveries of tasks that are not over.
    var deliveries: [Delivery] { self.registry.withLock { Array($0.values) } }

    /// Maps a task to its delivery, until the task is over.
    func register(_ delivery: Delivery, for task: URLSessionTask) {
        let identifier = task.taskIdentifier
        self.registry.withLock { $0[identifier] = delivery }
    }

    private func delivery(of task: URLSessionTask) -> Delivery? {
        let identifier = task.taskIdentifier
        return self.registry.withLock { $0[identifier] }
    }

    private func takeDelivery(of task: URLSessionTask) -> Delivery? {
        let identifier = task.taskIdentifier
        return self.registry.withLock { $0.removeValue(forKey: identifier) }
    }

    func urlSession(
        _ session: URLSession,
        dataTask: URLSessionDataTask,
        didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            self.delivery(of: dataTask)?.received(response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        self.delivery(of: dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didCompleteWithError error: (any Error)?
    ) {
        self.takeDelivery(of: task)?.completed(task.response, error)
    }

    /// No redirect is followed: the 3xx is the answer.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // It traps when it is answered about a task that was cancelled meanwhile.
        guard task.state != .canceling else { return }
        #endif
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
    /// A 401 with a challenge is the answer, too.
    ///
    /// All of its body has come by now. The default would wait for ever for a credential, and any other
    /// disposition would cancel the task from within its own thread, which waits for itself; so nothing
    /// is said here, and the task is cancelled from elsewhere.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        self.takeDelivery(of: task)?.challenged(task)
    }
    #endif
}

/// Runs the delegate's calls where they are made: on the thread that reads from the socket.
///
/// With a queue of its own that thread would read on while the delegate waits, and the platform would
/// keep the body in memory, uncounted.
///
/// Safe to share: it adds no state to its superclass and touches none of it.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}

/// How a platform is made to stop reading from a connection.
enum FlowControl: Hashable, Sendable {
    /// It cannot be; the thread that reads from the socket is slowed down by short waits inside the
    /// delegate's calls, and a consumer that stays behind nonetheless loses the connection.
    ///
    /// For FoundationNetworking. There `suspend()` closes the connection, and `resume()` sends the
    /// request again and delivers the body from its start. A delegate that waits longer would stop all
    /// sessions of the process, since their threads are one.
    case braking
    /// The task is suspended. Apple's documentation says that tasks other than downloads start over when they are resumed;
    /// other libraries suspend data tasks all the same, and they go on. One that starts over loses its body here, and
    /// is asked for from its byte.
    case suspending

    /// What this platform needs.
    static var native: FlowControl {
        #if canImport(FoundationNetworking)
        .braking
        #else
        .suspending
        #endif
    }

    /// How many bytes may wait for a consumer before the flow is held.
    static let slack = 256 * 1024

    /// How long one call of a delegate waits while the flow is held, in milliseconds.
    ///
    /// With pieces of 16 KiB it is a consumer of less than 8 MB/s that stays behind.
    static let brake = 2
}
