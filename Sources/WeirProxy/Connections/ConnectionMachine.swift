// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Decides which request of a connection is served when, and when the connection ends.
///
/// Responses go out in the order of their requests (RFC 9112 §9.3.2), one at a time. Requests that
/// come meanwhile wait: beyond ``queueLimit`` nothing more is read, and beyond ``queueMaximum``
/// (what was on its way already) nothing more is taken.
struct ConnectionMachine<Request> {
    /// What is to be done next.
    enum Step {
        /// Serve this; tell ``responseEnded(closing:)``.
        case serve(Request)
        /// Nothing: a response is on its way.
        case wait
        /// Nothing: the client has all it asked for.
        case awaitRequest
        /// End the connection. Lingering: what the client still sends is read and dropped for a
        /// while, since an answer is lost when its connection is closed over unread bytes.
        case close(lingering: Bool)
    }

    /// What follows a request on its connection.
    enum Sequel {
        /// Other requests.
        case requests
        /// Nothing: the client wants the connection to end.
        case nothing
        /// What must not be taken for a request: a body, another protocol, the rest of what could
        /// not be read.
        case other
    }

    private var queue = CircularBuffer<Request>(initialCapacity: 1)
    private var isServing = false
    private var isClosed = false
    /// No further request is taken.
    private var isInputOver = false
    /// The client may be sending what is not read as requests.
    private var isInputDropped = false

    /// How many requests wait while reading goes on.
    static var queueLimit: Int { 4 }
    /// How many requests wait at most.
    static var queueMaximum: Int { 64 }

    /// Whether more should be read: to take it, or in the end to drop it.
    ///
    /// Where nothing is read the channel
    /// still tells when the client leaves.
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

    /// The client has closed its sending half: what it has asked for is served, then the connection ends.
    mutating func inputClosed() {
        self.isInputOver = true
        self.isInputDropped = false
    }

    /// The response that was on its way has gone.
    mutating func responseEnded(closing: Bool) {
        self.isServing = false
        guard closing else { return }
        // What waits has been read and is never answered; the client must not be reset over it.
        if !self.queue.isEmpty { self.isInputDropped = true }
        self.queue.removeAll()
        self.isInputOver = true
    }

    /// The proxy is being shut down: what is being served is served, nothing else.
    mutating func serverStopped() {
        self.queue.removeAll()
        self.isInputOver = true
    }

    /// What is to be done now.
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
