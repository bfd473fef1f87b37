// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// A request that needs a source, on a connection without a slot.
struct WaitingRequest {
    let request: RequestHead
    let exchange: Exchange
    let deadline: NIODeadline
    var timer: Scheduled<Void>?
}

/// The connection's slot: how it gets one, and how it gives it up.
extension ConnectionHandler {
    /// How long a request waits before it looks for a slot again.
    static let slotInterval = TimeAmount.milliseconds(250)

    /// Looks for a slot.
    func findSlot() -> Bool {
        self.hasSlot = self.service.registry.findSlot(for: self.id, at: self.eventLoop.now)
        return self.hasSlot
    }

    /// Keeps a request until there is a slot, or until its time is over.
    func wait(_ request: RequestHead, _ exchange: Exchange) {
        self.waiting = WaitingRequest(
            request: request,
            exchange: exchange,
            deadline: self.eventLoop.now + self.service.slotPatience
        )
        self.lookForSlotLater()
    }

    private func lookForSlotLater() {
        let timer = self.eventLoop.assumeIsolated().scheduleTask(in: Self.slotInterval) {
            guard let waiting = self.waiting else { return }
            if self.findSlot() {
                self.goOn()
            } else if self.eventLoop.now >= waiting.deadline {
                self.refuseWaiting()
            } else {
                self.lookForSlotLater()
            }
        }
        self.waiting?.timer = timer
    }

    /// Looks for a slot at once instead of after the interval.
    func lookForSlotNow() {
        if self.waiting != nil, self.findSlot() { self.goOn() }
    }

    /// Another connection has given up its slot for this one.
    func slotGranted() {
        self.hasSlot = true
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

    /// Ends the connection: another one has its slot, or the reserve is full.
    ///
    /// A response that its client does not take is cut short; the client's next request can ask for the rest.
    func displaced() {
        self.hasSlot = false
        if self.waiting != nil {
            self.refuseWaiting()
        } else if let exchange {
            self.cutShort(exchange)
        } else {
            self.close()
        }
    }

    // MARK: Activity of the client

    /// Notes the start of a stall if written bytes wait for the client.
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

    /// Whether the client has taken no byte for so long that its slot may be given away.
    ///
    /// The system buffers mebibytes for a client, so a slow client may show the proxy no progress for a minute.
    /// Therefore the count of acknowledged bytes decides. The first call has no earlier count, and returns false.
    func takesNothing(at now: NIODeadline) -> Bool {
        guard self.exchange != nil, let since = self.stalledSince else {
            // The activity that led to this call has changed since.
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
