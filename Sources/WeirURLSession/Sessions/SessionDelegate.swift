// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// Tells each delivery what the platform tells about its task.
///
/// Safe to share: its only state is behind a lock.
final class SessionDelegate: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let registry = Mutex<[Int: Delivery]>([:])

    /// Those whose tasks are not over.
    var deliveries: [Delivery] { self.registry.withLock { Array($0.values) } }

    /// Knows from now on whose task it is, until the task is over.
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
