// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Decides when each request of a connection is served, and when the connection ends.
///
/// Responses go out in the order of their requests (RFC 9112 §9.3.2), one at a time. Requests that arrive in the
/// meantime wait. When ``queueLimit`` requests wait, no more input is read. Input that has been read already may hold
/// more requests; those beyond ``queueMaximum`` are dropped.
struct ConnectionMachine<Request> {
    /// The next step of the connection.
    enum Step {
        /// Serve this request; ``responseEnded(closing:)`` follows.
        case serve(Request)
        /// Wait: a response is being sent.
        case wait
        /// Wait for a request: the client has all of its responses.
        case awaitRequest
        /// End the connection.
        ///
        /// Lingering: the input of the client is read and dropped for a while. A response is lost if its connection
        /// is closed while input is unread.
        case close(lingering: Bool)
    }

    /// The input that follows a request on its connection.
    enum Sequel {
        /// More requests.
        case requests
        /// Nothing: the client wants the connection to end.
        case nothing
        /// Input that must not be taken for a request: a body, another protocol, the rest of unreadable input.
        case other
    }

    private var queue = CircularBuffer<Request>(initialCapacity: 1)
    private var isServing = false
    private var isClosed = false
    /// No further request is taken.
    private var isInputOver = false
    /// The client may be sending input that is not read as requests.
    private var isInputDropped = false

    /// The number of waiting requests at which reading stops.
    static var queueLimit: Int { 4 }
    /// The largest number of waiting requests.
    static var queueMaximum: Int { 64 }

    /// Whether the channel should read more input: for requests, or to drop it after the last response.
    ///
    /// Without reads, the channel still reports that the client leaves.
    var wantsInput: Bool {
        self.isClosed || !self.isInputOver && self.queue.count < Self.queueLimit
    }

    /// Whether the response that begins now is the connection's last.
    var isLast: Bool { self.isInputOver && self.queue.isEmpty }

    /// A request has come.
    mutating func requestReceived(_ request: Request, followedBy sequel: Sequel) {
        guard !self.isInputOver, self.queue.count < Self.queueMaximum else {
            self.isInputOver = true
            self.isInputDropped = true
            return
        }
        self.queue.append(request)
        switch sequel {
        case .requests:
            break
        case .nothing:
            self.isInputOver = true
        case .other:
            self.isInputOver = true
            self.isInputDropped = true
        }
    }

    /// The client has closed its sending half: the connection ends when its requests have been served.
    mutating func inputClosed() {
        self.isInputOver = true
        self.isInputDropped = false
    }

    /// The response that was being sent is complete.
    mutating func responseEnded(closing: Bool) {
        self.isServing = false
        guard closing else { return }
        // The waiting requests are never answered; lingering keeps them from causing a reset.
        if !self.queue.isEmpty { self.isInputDropped = true }
        self.queue.removeAll()
        self.isInputOver = true
    }

    /// The proxy is shutting down: the current request is served, the waiting ones are not.
    mutating func serverStopped() {
        self.queue.removeAll()
        self.isInputOver = true
    }

    /// The step to do now.
    mutating func next() -> Step {
        if self.isServing || self.isClosed { return .wait }
        if let request = self.queue.popFirst() {
            self.isServing = true
            return .serve(request)
        }
        guard self.isInputOver else { return .awaitRequest }
        self.isClosed = true
        return .close(lingering: self.isInputDropped)
    }
}
