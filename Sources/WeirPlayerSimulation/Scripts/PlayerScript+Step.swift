// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension PlayerScript {
    /// One request.
    public struct Step: Hashable, Sendable {
        /// Where a request begins.
        public enum Start: Hashable, Sendable {
            /// At a byte.
            case byte(Int64)
            /// So many bytes before the end; behind it, if the number is negative.
            case beforeEnd(Int64)
        }

        /// How much is asked for.
        public enum Extent: Hashable, Sendable {
            /// So many bytes, whatever the resource has.
            case bytes(Int64)
            /// What is left of the resource, counted by the player: its length less the start.
            case rest
            /// `Int64.max`: the player does not know the length.
            case unknown
            /// No bytes at all, not even none: information alone.
            case nothing
        }

        /// What becomes of it.
        public enum Ending: Hashable, Sendable {
            /// The player waits until it has ended.
            case awaited
            /// The player cancels it when it has got so many bytes.
            case cancelled(after: Int64)
            /// The player goes on when it has got so many bytes, and forgets to cancel it.
            case forgotten(after: Int64)
        }

        /// When the player makes it.
        public enum Moment: Hashable, Sendable {
            /// When it has done with the request before.
            case afterPrevious
            /// While the request before is live and has got so many bytes.
            case overPrevious(after: Int64)
        }

        /// Of which asset.
        public var asset = 0
        /// Its first byte.
        public var start: Start
        /// How many bytes.
        public var extent: Extent
        /// Whether all bytes to the end are wanted.
        public var toTheEnd: Bool
        /// Whether the player wants to know what the resource is.
        public var wantsInformation = false
        /// The type identifiers that it takes.
        public var allowedTypes: [String]?
        /// What becomes of it.
        public var ending: Ending
        /// When it is made.
        public var moment = Moment.afterPrevious
        /// The asset that goes away as soon as this request is made.
        public var leaves: Int?

        /// Describes a request.
        public init(_ start: Start, _ extent: Extent, toTheEnd: Bool, _ ending: Ending) {
            self.start = start
            self.extent = extent
            self.toTheEnd = toTheEnd
            self.ending = ending
        }

        /// The two bytes with which every player begins, and with them the question what the resource is.
        public static let probe = Step.probe(asset: 0)

        /// The probe of an asset.
        public static func probe(asset: Int) -> Step {
            var step = Step(.byte(0), .bytes(2), toTheEnd: false, .awaited)
            step.asset = asset
            step.wantsInformation = true
            return step
        }

        /// Everything from a byte on.
        public static func rest(from offset: Int64, _ ending: Ending) -> Step {
            Step(.byte(offset), .rest, toTheEnd: true, ending)
        }

        /// So many bytes from a byte on.
        public static func span(_ offset: Int64, _ count: Int64, _ ending: Ending = .awaited)
            -> Step
        {
            Step(.byte(offset), .bytes(count), toTheEnd: false, ending)
        }

        /// The same while the request before is live.
        public func overlapping(after count: Int64 = 0) -> Step {
            var step = self
            step.moment = .overPrevious(after: count)
            return step
        }

        /// The same of another asset.
        public func of(asset: Int, leaving other: Int? = nil) -> Step {
            var step = self
            step.asset = asset
            step.leaves = other
            return step
        }
    }
}

extension PlayerScript.Step {
    /// The same with other numbers.
    func mapped(_ change: (Int64) -> Int64) -> Self {
        var step = self
        switch self.start {
        case .byte(let offset): step.start = .byte(change(offset))
        case .beforeEnd(let count):
            step.start = .beforeEnd(count < 0 ? count : max(1, change(count)))
        }
        if case .bytes(let count) = self.extent { step.extent = .bytes(change(count)) }
        switch self.ending {
        case .awaited: break
        case .cancelled(let count): step.ending = .cancelled(after: change(count))
        case .forgotten(let count): step.ending = .forgotten(after: change(count))
        }
        if case .overPrevious(let count) = self.moment {
            step.moment = .overPrevious(after: change(count))
        }
        return step
    }

    /// The first byte in a resource of a length.
    func offset(inLength length: Int64) -> Int64 {
        switch self.start {
        case .byte(let offset): offset
        case .beforeEnd(let count): max(0, length - count)
        }
    }

    /// What the request says of its length; `nil` if it has no bytes.
    func count(inLength length: Int64) -> Int64? {
        switch self.extent {
        case .bytes(let count): count
        case .rest: max(0, length - self.offset(inLength: length))
        case .unknown: .max
        case .nothing: nil
        }
    }
}
