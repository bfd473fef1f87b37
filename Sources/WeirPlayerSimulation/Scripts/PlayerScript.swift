// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a player asks for, in which order, and how each request ends: a sequence as it was seen, or as it may come.
public struct PlayerScript: Hashable, Sendable {
    /// Short, for failures: `S1`.
    public var name: String
    /// Who saw it, and how far it can be trusted.
    public var origin: String
    /// Bytes in the resource that the numbers of the steps are for.
    public var length: Int64
    /// What is asked for, one request each.
    public var steps: [Step]
    /// The first byte that cannot be had for the first ``failures`` times that it is asked for.
    public var failsAt: Int64?
    /// How many times.
    public var failures = 0

    /// Describes a sequence.
    public init(name: String, origin: String, length: Int64, steps: [Step]) {
        self.name = name
        self.origin = origin
        self.length = length
        self.steps = steps
    }

    /// How many assets it plays.
    public var assets: Int { (self.steps.map(\.asset).max() ?? 0) + 1 }

    /// The same sequence on a resource of another length: all numbers but the two bytes of a probe in proportion.
    public func scaled(to length: Int64) -> PlayerScript {
        let factor = Double(length) / Double(max(1, self.length))
        func scaled(_ count: Int64) -> Int64 {
            count <= 2 || count == .max ? count : Int64((Double(count) * factor).rounded())
        }
        var script = self
        script.length = length
        script.failsAt = self.failsAt.map { min(scaled($0), max(0, length - 1)) }
        script.steps = self.steps.map { $0.mapped(scaled) }
        return script
    }

    /// The same sequence with a player that has enough of every request after so many bytes.
    public func cutShort(after most: Int64) -> PlayerScript {
        var script = self
        script.steps = self.steps.map { step in
            var step = step
            switch step.ending {
            case .awaited:
                if step.extent != .bytes(2), step.extent != .nothing {
                    step.ending = .cancelled(after: most)
                }
            case .cancelled(let count): step.ending = .cancelled(after: min(count, most))
            case .forgotten(let count): step.ending = .forgotten(after: min(count, most))
            }
            if case .overPrevious(let count) = step.moment {
                step.moment = .overPrevious(after: min(count, most))
            }
            return step
        }
        return script
    }
}
