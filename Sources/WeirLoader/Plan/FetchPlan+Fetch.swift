// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension FetchPlan {
    /// A request to the origin, and the claim it has on a hole.
    struct Fetch {
        let id: FetchID
        /// The demand that it was opened for.
        let openedFor: DemandID?
        /// The next byte it will bring; `nil` for a suffix until the answer has come.
        var position: Int64?
        /// The end of its claim; another fetch may have taken the rest over.
        ///
        /// `nil`: to the end of the resource, whose length is unknown.
        var end: Int64?
        /// Where the requested range ends; reaching it ends the request by itself.
        var requestedEnd: Int64?
        var state = State.opening

        enum State: Hashable {
            /// Sent, not answered.
            case opening
            /// Bytes are taken as they come.
            case running
            /// Bytes are left in the connection.
            case paused
            /// As paused, with nobody who wants it and the time running.
            case lingering
        }

        /// Whether it will bring this byte without much of a wait.
        func brings(_ offset: Int64, within reach: Int64) -> Bool {
            guard let position = self.position, position <= offset else { return false }
            if let end = self.end, offset >= end { return false }
            return offset - position <= reach
        }

        /// Whether all of the requested range has come, and only its end is awaited.
        var isEnding: Bool {
            guard let end = self.requestedEnd, let position = self.position else { return false }
            return position >= end
        }

        /// Whether its claim covers this byte.
        func claims(_ offset: Int64) -> Bool {
            guard let position = self.position, position <= offset else { return false }
            return self.end.map { offset < $0 } ?? true
        }
    }
}
