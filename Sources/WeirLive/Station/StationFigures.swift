// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A station at one moment, for code that shows it.
package struct StationFigures: Hashable, Sendable {
    /// What the connection does, and why.
    package let status: StationStatus
    /// The title that the station sent last; `nil` while it names none.
    package let title: String?
    /// How much sound is kept behind the live end.
    package let buffered: Duration
    /// How much is kept at most.
    package let timeShift: Duration
    /// How many listen.
    package let listenerCount: Int
}

extension Station {
    /// What the station does now, and what is kept of it.
    package var figures: StationFigures {
        let (time, title) = self.core.writer.withLock { ($0.time, $0.title) }
        return StationFigures(
            status: self.status,
            title: title,
            buffered: max(.zero, time - self.core.ring.oldestTime),
            timeShift: self.options.timeShift,
            listenerCount: self.core.listenerCount
        )
    }
}
