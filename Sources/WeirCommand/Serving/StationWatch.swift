// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive

/// Decides which changes of a station's connection become an event.
///
/// Events are the loss, the return and the end of the connection, and a long outage.
struct StationWatch {
    /// The number of failed attempts in a row after which a loss is trouble.
    private static let patience = 2

    private var isLost = false
    private var isTrouble = false

    /// The event for a status; `nil` if the status causes no event.
    mutating func event(
        after status: StationStatus
    ) -> (kind: String, text: String, isTrouble: Bool)? {
        switch status.phase {
        case .idle:
            self = StationWatch()
            return nil
        case .live:
            defer { self = StationWatch() }
            return self.isLost ? ("stationBack", "The station plays again.", false) : nil
        case .ended:
            return status.reason.map { ("stationEnded", $0.message, true) }
        case .connecting, .waiting:
            let isTrouble = status.attempt >= Self.patience
            guard let reason = status.reason, !self.isLost || isTrouble && !self.isTrouble else {
                return nil
            }
            (self.isLost, self.isTrouble) = (true, isTrouble)
            return ("stationLost", reason.message, isTrouble)
        }
    }
}
