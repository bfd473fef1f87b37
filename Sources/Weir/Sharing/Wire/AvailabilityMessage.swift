// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Which bytes are held, on the wire: bounds of runs in pairs.
struct AvailabilityMessage: Codable, Hashable, Sendable {
    private var bounds: [Int64]
    private var length: Int64?

    init(_ availability: Availability) {
        self.bounds = availability.held.ranges.flatMap { [$0.lowerBound, $0.upperBound] }
        self.length = availability.length
    }

    var availability: Availability {
        var held = RangeSet<Int64>()
        for index in stride(from: 0, to: self.bounds.count - 1, by: 2) {
            let (lower, upper) = (self.bounds[index], self.bounds[index + 1])
            guard let run = ResourceLength.checked(from: lower, to: upper) else { continue }
            held.insert(contentsOf: run)
        }
        return Availability(held: held, length: self.length.flatMap(ResourceLength.checked))
    }
}
