// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// How the connection gets a slot, and how it gives its slot up.
extension ConnectionHandler {
    /// How long a request waits before it looks for a slot again.
    static let slotInterval = TimeAmount.milliseconds(250)

    /// Looks for a slot.
    func findSlot() -> Bool {
        let isFound = self.service.registry.findSlot(for: self.claim.id, at: self.eventLoop.now)
        self.claim.hasSlot = isFound
        return isFound
    }

    /// Keeps a request until there is a slot, or until its time is over.
    func wait(_ request: RequestHead, _ exchange: Exchange) {
        self.claim.waiting = WaitingRequest(
            request: request,
            exchange: exchange,
            deadline: self.eventLoop.now + self.service.slotPatience
        )
        self.lookForSlotLater()
    }

    private func lookForSlotLater() {
        let timer = self.eventLoop.assumeIsolated().scheduleTask(in: Self.slotInterval) {
            guard let waiting = self.claim.waiting else { return }
            if self.findSlot() {
                self.goOn()
            } else if self.eventLoop.now >= waiting.deadline {
                self.refuseWaiting()
            } else {
                self.lookForSlotLater()
            }
        }
        self.claim.waiting?.timer = timer
    }

    /// Looks for a slot at once instead of after the interval.
    func lookForSlotNow() {
        if self.claim.waiting != nil, self.findSlot() { self.goOn() }
    }

    /// Another connection has given up its slot for this one.
    func slotGranted() {
        self.claim.hasSlot = true
        self.goOn()
    }

    private func goOn() {
        guard let waiting = self.claim.takeWaiting() else { return }
        self.begin(waiting.request, waiting.exchange)
    }

    private func refuseWaiting() {
        guard let waiting = self.claim.takeWaiting() else { return }
        self.service.onEvent?(
            .limited(self.service.registry.limit(keepingOut: self.client.network))
        )
        self.answer(.tooManyConnections, waiting.exchange)
    }

    /// Ends the connection: another connection has its slot, or the reserve is full.
    ///
    /// A response that its client does not take is cut short; the client's next request can ask for
    /// the rest.
    func displaced() {
        self.claim.hasSlot = false
        if self.claim.waiting != nil {
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
        guard exchange.outstandingWrites > 0, self.exchange === exchange, !self.claim.isStalled
        else { return }
        self.claim.stalled(since: self.eventLoop.now)
    }

    /// Notes that the client has taken bytes that had waited for it.
    func noteTaken(_ exchange: Exchange) {
        guard self.claim.isStalled, self.exchange === exchange else { return }
        if exchange.outstandingWrites > 0 {
            self.claim.stalled(since: self.eventLoop.now)
        } else {
            self.claim.caughtUp()
        }
    }

    /// Whether the client has taken no byte for so long that its slot may be given away.
    func takesNothing(at now: NIODeadline) -> Bool {
        let acknowledged = self.sender.socket?.acknowledgedByteCount
        return self.claim.takesNothing(
            at: now,
            acknowledged: acknowledged,
            for: self.service.stallTime
        )
    }
}
