// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension FetchPlan {
    /// A reader: where it is, and where it wants to get.
    struct Demand {
        let id: DemandID
        /// What it asked for, before the length was known.
        let request: RequestedRange
        /// The next byte it will take; `nil` for a suffix until the length is known.
        var position: Int64?
        /// Where it ends; `nil` for "at the end of the resource" until the length is known.
        var end: Int64?

        init(id: DemandID, request: RequestedRange, length: Int64?) {
            self.id = id
            self.request = request
            self.position = request.knownLowerBound
            self.end = request.knownUpperBound
            if let length { self.resolve(inLength: length) }
        }

        /// Settles the bounds once the length is known; a start past the end becomes an empty rest.
        mutating func resolve(inLength length: Int64) {
            guard let range = self.request.resolved(inLength: length) else {
                self.position = length
                self.end = length
                return
            }
            self.position = max(self.position ?? range.lowerBound, range.lowerBound)
            self.end = range.upperBound
        }
    }
}
