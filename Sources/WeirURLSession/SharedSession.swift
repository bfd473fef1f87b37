// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import Foundation
internal import Synchronization
internal import WeirHTTP

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// A session and its delegate, with the connections that it keeps.
final class SharedSession: Sendable {
    let flow: FlowControl
    private let delegate = SessionDelegate()
    private let session: URLSession
    private let isOpen = Mutex(true)
    /// Cancelling waits for the platform's own thread, so it happens elsewhere, in its order.
    private let farewells = DispatchQueue(label: "weir.urlsession.farewells")

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
        self.farewells.async { task.cancel() }
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
            delivery.failed(DeliveryFailure.closed, aborts: true)
        }
        await withCheckedContinuation { continuation in
            self.farewells.async { [session] in
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
