// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A station at one moment, for a user interface.
package struct StationFigures: Hashable, Sendable {
    /// The status of the connection.
    package let status: StationStatus
    /// The last title from the station; `nil` while there is no title.
    package let title: String?
    /// How much sound is kept behind the live end.
    package let buffered: Duration
    /// How much sound the time shift holds when it is full, unless it reaches its limit of bytes
    /// first.
    package let timeShift: Duration
    /// The number of listeners.
    package let listenerCount: Int
}

extension Station {
    /// The state of the station now, and of its kept stream.
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
