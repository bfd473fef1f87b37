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

/// A connection's claim of a connection slot: whether it has one, and whether its client still uses
/// it.
///
/// ``ConnectionSlots`` decides which connection gets a slot. It asks the claim whether the client
/// takes its bytes.
struct SlotClaim {
    /// The connection's identifier in the registry.
    let id: ConnectionSlots.ConnectionID
    /// The client's activity, for another connection that needs this one's slot.
    let activity: ActivityRecord
    /// Whether the connection has a slot; without one, it asks no source.
    var hasSlot: Bool
    /// The request that waits for a slot.
    var waiting: WaitingRequest?
    /// Since when written bytes have waited for the client; `nil` while no bytes wait.
    private var stalledSince: NIODeadline?
    /// How many bytes the client had acknowledged at the last check.
    private var acknowledgedBytes: UInt64?

    /// The claim of a connection that has arrived.
    init(_ arrival: ConnectionSlots.Arrival, at time: NIODeadline) {
        self.id = arrival.id
        self.hasSlot = arrival.hasSlot
        self.activity = ActivityRecord(.new(since: time))
    }

    /// Removes and returns the request that waits for a slot.
    mutating func takeWaiting() -> WaitingRequest? {
        guard let waiting = self.waiting else { return nil }
        waiting.timer?.cancel()
        self.waiting = nil
        return waiting
    }

    // MARK: Activity of the client

    /// Whether written bytes wait for the client.
    var isStalled: Bool { self.stalledSince != nil }

    /// From this time on, written bytes wait for the client.
    mutating func stalled(since time: NIODeadline) {
        self.stalledSince = time
        self.activity.store(.stalled(since: time))
    }

    /// No written bytes wait for the client any more.
    mutating func caughtUp() {
        self.stalledSince = nil
        self.activity.store(.served)
    }

    /// Whether the client has taken no byte for so long that its slot may be given away.
    ///
    /// The system buffers mebibytes for a client, so a slow client may show the proxy no progress
    /// for a minute. Therefore the count of acknowledged bytes decides. The first call has no
    /// earlier count, and returns false.
    ///
    /// - Parameters:
    ///   - now: the time.
    ///   - acknowledged: how many bytes the client has acknowledged; `nil` if the system does not
    ///     report it.
    ///   - stallTime: how long a client takes no byte before its slot may be given away.
    /// - Returns: true if its slot may be given away.
    mutating func takesNothing(
        at now: NIODeadline,
        acknowledged: UInt64?,
        for stallTime: TimeAmount
    ) -> Bool {
        guard let since = self.stalledSince else {
            // The activity that led to this call has changed since.
            if case .stalled = self.activity.activity { self.activity.store(.served) }
            return false
        }
        if let acknowledged, acknowledged != self.acknowledgedBytes {
            self.acknowledgedBytes = acknowledged
            self.stalled(since: now)
            return false
        }
        return now - since >= stallTime
    }
}
