// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// A demand on the wire.
struct DemandMessage: Codable, Hashable, Sendable {
    private enum Span: Codable, Hashable {
        case from(Int64)
        case span(Int64, Int64)
        case suffix(Int64)
    }

    private var span: Span
    private var pin: PinMessage?
    /// Whether the whole may be handed over; users of before know nothing of it.
    private var takesWhole: Bool?
    /// Whether the patience with the resource is spent; users of before know nothing of it.
    private var isLastTry: Bool?

    init(_ demand: ReadDemand) {
        self.span =
            switch demand.range {
            case .from(let lower): .from(lower)
            case .span(let range): .span(range.lowerBound, range.upperBound)
            case .suffix(let count): .suffix(count)
            }
        self.pin = demand.pin.map(PinMessage.init)
        self.takesWhole = demand.takesWhole ? true : nil
        self.isLastTry = RetryAllowance.isSpent ? true : nil
    }

    /// Whether it is to be asked for once only.
    var isSpent: Bool { self.isLastTry ?? false }

    /// The demand; `nil` if no sane user can have meant it.
    var demand: ReadDemand? {
        let range: RequestedRange
        switch self.span {
        case .from(let lower):
            guard lower >= 0 else { return nil }
            range = .from(lower)
        case .span(let lower, let upper):
            guard lower >= 0, upper >= lower else { return nil }
            range = .span(lower..<upper)
        case .suffix(let count):
            guard count >= 0 else { return nil }
            range = .suffix(count)
        }
        var demand = ReadDemand(range, pinnedTo: self.pin?.pin)
        demand.takesWhole = self.takesWhole ?? false
        return demand
    }
}
