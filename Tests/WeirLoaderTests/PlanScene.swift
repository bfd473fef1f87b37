// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

@testable import WeirLoader

/// A plan with its names shortened: events in, effects out as lines of a transcript.
struct PlanScene: ~Copyable {
    private var plan: FetchPlan

    init(_ policy: LoadPolicy = LoadPolicy(readAhead: 100, reach: 50, maximumFetches: 3)) {
        self.plan = FetchPlan(policy: policy)
    }

    var held: [Range<Int64>] { Array(self.plan.held.ranges) }
    var length: Int64? { self.plan.length }
    func knowsVersion(of offset: Int64) -> Bool { self.plan.knowsVersion(of: offset) }

    mutating func cached(_ runs: Range<Int64>..., length: Int64?, overlap: Int64 = 0) {
        self.plan.adopted(held: RangeSet(runs), length: length, overlap: overlap)
    }
    mutating func reader(_ id: Int, _ range: RequestedRange, isBackground: Bool = false)
        -> [String]
    {
        self.lines(self.plan.demanded(DemandID(rawValue: id), range, isBackground: isBackground))
    }
    mutating func reader(_ id: Int, at position: Int64) -> [String] {
        self.lines(self.plan.advanced(DemandID(rawValue: id), to: position))
    }
    mutating func readerLeaves(_ id: Int) -> [String] {
        self.lines(self.plan.departed(DemandID(rawValue: id)))
    }
    mutating func opened(
        _ id: Int,
        at offset: Int64 = 0,
        length: Int64?,
        ignoresRanges: Bool = false,
        coversWhole: Bool = false,
        overlap: Int64 = 0
    ) -> [String] {
        self.lines(
            self.plan.opened(
                FetchID(rawValue: id),
                at: offset,
                length: length,
                ignoresRanges: ignoresRanges,
                coversWhole: coversWhole,
                overlap: overlap
            )
        )
    }
    mutating func arrived(_ id: Int, upTo offset: Int64) -> [String] {
        self.lines(self.plan.arrived(FetchID(rawValue: id), upTo: offset))
    }
    mutating func lost(_ range: Range<Int64>) -> [String] {
        self.lines(self.plan.lost(range))
    }
    mutating func measured(latency: Double, rate: Double) {
        self.plan.measured(latency: latency, rate: rate)
    }
    mutating func finished(_ id: Int) -> [String] {
        self.lines(self.plan.finished(FetchID(rawValue: id)))
    }
    mutating func failed(_ id: Int, onlyItsDemand: Bool = false) -> [String] {
        self.lines(self.plan.failed(FetchID(rawValue: id), onlyItsDemand: onlyItsDemand))
    }
    mutating func lingered(_ id: Int) -> [String] {
        self.lines(self.plan.lingered(FetchID(rawValue: id)))
    }

    private func lines(_ effects: [FetchPlan.Effect]) -> [String] {
        effects.map(\.description)
    }
}
