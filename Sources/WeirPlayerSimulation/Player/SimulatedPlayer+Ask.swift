// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAVFoundation

extension SimulatedPlayer {
    /// A request that the player means to make, or has made.
    struct Ask: Sendable {
        let request: LoadingRequestServer.Request
        let step: PlayerScript.Step
        /// Whether the loader has it.
        var isMade = false
        /// Whether the player wants to cancel it.
        var isUnwanted = false
        /// Whether the loader knows of that.
        var isCancelled = false
        var hasEnded = false
        var information: ContentInformation?
        /// How many bytes it has got.
        var received: Int64 = 0
        /// The pieces that the player holds.
        var pieces: [Int] = []
        /// Whether the player has done with it, and goes on to its next step.
        var isPassed = false

        init(_ request: LoadingRequestServer.Request, _ step: PlayerScript.Step) {
            self.request = request
            self.step = step
        }

        /// The next byte that it lacks.
        var position: Int64 { (self.request.bytes?.offset ?? 0) + self.received }

        /// Whether the loader owes something.
        var isLive: Bool { self.isMade && !self.isCancelled && !self.hasEnded }
    }
}

extension LoadingRequestServer.Request.Bytes {
    /// The byte after the last that there is to give, in a resource of a length.
    func limit(inLength length: Int64) -> Int64 {
        let (end, overflow) = self.offset.addingReportingOverflow(self.length)
        return self.toTheEnd || overflow ? length : min(end, length)
    }
}
