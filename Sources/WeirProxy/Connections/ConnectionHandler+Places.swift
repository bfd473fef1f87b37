// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A request that needs a source and came in on a connection without a place.
struct WaitingRequest {
    let request: RequestHead
    let exchange: Exchange
    let deadline: NIODeadline
    var timer: Scheduled<Void>?
}

/// The connection's place: how it gets one, and how it gives it up.
extension ConnectionHandler {
    /// How long to wait before looking for a place again.
    static let placeInterval = TimeAmount.milliseconds(250)

    /// Looks for a place.
    func findPlace() -> Bool {
        self.hasPlace = self.service.registry.findPlace(for: self.id, at: self.eventLoop.now)
        return self.hasPlace
    }

    /// Keeps a request until there is a place, or it has waited long enough.
    func wait(_ request: RequestHead, _ exchange: Exchange) {
        self.waiting = WaitingRequest(
            request: request,
            exchange: exchange,
            deadline: self.eventLoop.now + self.service.placePatience
        )
        self.lookForPlaceLater()
    }

    private func lookForPlaceLater() {
        let timer = self.eventLoop.assumeIsolated().scheduleTask(in: Self.placeInterval) {
            guard let waiting = self.waiting else { return }
            if self.findPlace() {
                self.goOn()
            } else if self.eventLoop.now >= waiting.deadline {
                self.refuseWaiting()
            } else {
                self.lookForPlaceLater()
            }
        }
        self.waiting?.timer = timer
    }

    /// Looks for a place before the interval is over, since the last look was in vain.
    func lookForPlaceNow() {
        if self.waiting != nil, self.findPlace() { self.goOn() }
    }

    /// Another connection's place has become this one's.
    func placeGranted() {
        self.hasPlace = true
        self.goOn()
    }

    private func goOn() {
        guard let waiting = self.waiting else { return }
        self.forgetWaiting()
        self.begin(waiting.request, waiting.exchange)
    }

    private func refuseWaiting() {
        guard let waiting = self.waiting else { return }
        self.forgetWaiting()
        self.service.onEvent?(
            .limited(self.service.registry.limit(keepingOut: self.client.network))
        )
        self.answer(.tooManyConnections, waiting.exchange)
    }

    func forgetWaiting() {
        self.waiting?.timer?.cancel()
        self.waiting = nil
    }

    /// The place is another's, or the reserve is full: the connection ends.
    ///
    /// The response of a client that takes no bytes ends short; its next request for the rest goes on.
    func displaced() {
        self.hasPlace = false
        if self.waiting != nil {
            self.refuseWaiting()
        } else if let exchange {
            self.cutShort(exchange)
        } else {
            self.close()
        }
    }

    // MARK: What the client does

    /// Notes that bytes wait for the client, if they do; a response that is taken at once never comes here.
    func noteStall(_ exchange: Exchange) {
        guard exchange.outstandingWrites > 0, self.exchange === exchange, self.stalledSince == nil
        else { return }
        self.stall(since: self.eventLoop.now)
    }

    /// Notes that the client has taken bytes that had waited for it.
    func noteTaken(_ exchange: Exchange) {
        guard self.stalledSince != nil, self.exchange === exchange else { return }
        if exchange.outstandingWrites > 0 {
            self.stall(since: self.eventLoop.now)
        } else {
            self.stalledSince = nil
            self.activity.store(.served)
        }
    }

    private func stall(since time: NIODeadline) {
        self.stalledSince = time
        self.activity.store(.stalled(since: time))
    }

    /// Whether the client has taken no byte for so long that its place may be given away.
    ///
    /// The system takes bytes for a client by the mebibyte, so of a slow one nothing is seen for a minute: what counts is
    /// whether it acknowledges bytes. The first look has nothing to compare with, and finds nothing out.
    func takesNothing(at now: NIODeadline) -> Bool {
        guard self.exchange != nil, let since = self.stalledSince else {
            // What was looked at is older than what has happened since.
            if case .stalled = self.activity.activity { self.activity.store(.served) }
            return false
        }
        if let acknowledged = self.socket?.acknowledgedByteCount,
            acknowledged != self.acknowledgedBytes
        {
            self.acknowledgedBytes = acknowledged
            self.stall(since: now)
            return false
        }
        return now - since >= self.service.stallTime
    }
}
