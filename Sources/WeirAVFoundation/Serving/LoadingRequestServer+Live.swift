// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension LoadingRequestServer {
    /// A request that has not ended.
    struct Live: Sendable {
        let request: Request
        /// Whether the player has been told what the resource is, if it wants to know.
        var isInformed: Bool
        /// The next byte that the player lacks.
        var position: Int64
        /// The byte after the last; `nil` while nobody knows.
        var end: Int64?
        /// Bytes from ``position`` on that have come and are not handed over yet.
        var gathered: [ByteMemory] = []
        var gatheredCount = 0
        /// The wait for more of them.
        var gathering: WaitID?
        /// The reading that brings its bytes.
        var read: ReadID?
        /// Bytes that the player has been given and has not let go of.
        var outstanding: Int64 = 0
        /// How many of these there may be, if more than the window: the player keeps what it is given.
        var allowance: Int64 = 0
        /// The wait for the player to let go.
        var patience: WaitID?
        /// Whether the player has kept a full window for longer than one wait.
        var isSated = false

        /// Whether the source has nothing from its first byte on: it is finished without one, once it is informed.
        var startsBehindTheEnd = false

        init(_ request: Request, isInformed: Bool) {
            self.request = request
            self.isInformed = isInformed
            self.position = request.bytes?.offset ?? 0
        }

        var id: RequestID { self.request.id }

        /// The next byte that has not come.
        var missing: Int64 { self.position + Int64(self.gatheredCount) }

        /// How many bytes the player has been given.
        var given: Int64 { self.position - (self.request.bytes?.offset ?? 0) }

        /// Whether the request is for everything up to the end of the resource.
        var goesToTheEnd: Bool { self.request.bytes?.toTheEnd ?? false }

        /// Whether it waits for the description only, which comes with the first bytes.
        var needsHeadAlone: Bool {
            self.request.bytes == nil || self.startsBehindTheEnd
                || (!self.isInformed && self.remaining == 0)
        }

        /// How many bytes have not come; `Int64.max` while nobody knows.
        var remaining: Int64 { self.end.map { max(0, $0 - self.missing) } ?? .max }
    }
}
