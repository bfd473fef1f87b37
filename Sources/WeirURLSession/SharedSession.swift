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
    /// Cancelling waits for the platform's own thread, so it runs on this serial queue.
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

    /// Creates a task without starting it; `nil` if the session is closed.
    func task(for request: URLRequest, delivery: Delivery) -> URLSessionDataTask? {
        self.isOpen.withLock { isOpen in
            // An invalidated session traps when it creates a task.
            guard isOpen else { return nil }
            let task = self.session.dataTask(with: request)
            self.delegate.register(delivery, for: task)
            return task
        }
    }

    /// Cancels a task and its connection soon after the call.
    func cancel(_ task: URLSessionTask) {
        self.cancellations.async { task.cancel() }
    }

    /// Closes all connections when the active tasks have ended.
    func finish() {
        guard self.shut() else { return }
        self.session.finishTasksAndInvalidate()
    }

    /// Fails the active tasks, and tells the session to close all connections, which the session
    /// does soon after.
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

/// Forwards the platform's events about a task to its delivery.
///
/// Safe to share: its only state is behind a lock.
final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let registry = Mutex<[Int: Delivery]>([:])

    /// The deliveries of active tasks.
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

    /// Follows no redirect: the 3xx is the response.
    func urlSession(
        _ session: URLSession,
        task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // FoundationNetworking traps if the handler is called for a task that was cancelled
        // meanwhile.
        guard task.state != .canceling else { return }
        #endif
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
    /// Treats a 401 with a challenge as the response.
    ///
    /// All of its body has arrived by now. The default handling would wait forever for a
    /// credential. Any other disposition would cancel the task on the platform's thread, and that
    /// thread would then wait for itself. So the completion handler is not called, and another
    /// thread cancels the task.
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

/// Runs the delegate's calls on the calling thread, which reads from the socket.
///
/// With a separate queue that thread would continue to read while the delegate waits, and the
/// platform would keep the body in memory without a limit.
///
/// Safe to share: it adds no state to its superclass and touches none of it.
final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) {
        block()
    }
}

/// How to make a platform stop reading from a connection.
enum FlowControl: Hashable, Sendable {
    /// Slows the reading thread with short waits inside the delegate's calls.
    ///
    /// For FoundationNetworking, where nothing can stop the reading: `suspend()` closes the
    /// connection, and `resume()` sends the request again and delivers the body from its start. A
    /// delegate that waits longer would stop all sessions of the process, since they share one
    /// thread. A consumer that is still too slow loses the connection.
    case braking
    /// Suspends the task.
    ///
    /// Apple's documentation says that tasks other than downloads start over when they are resumed.
    /// Other libraries suspend data tasks nonetheless, and their tasks continue. If a task starts
    /// over, its body fails here, and the reader requests the rest.
    case suspending

    /// The flow control of this platform.
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
    /// With pieces of 16 KiB, a consumer that takes 8 MB/s or more keeps up.
    static let brake = 2
}
