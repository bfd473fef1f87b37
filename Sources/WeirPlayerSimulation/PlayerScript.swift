// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A player's requests, their order, and how each ends: a sequence that was observed, or that may
/// occur.
package struct PlayerScript: Hashable, Sendable {
    /// A short name for failures: `S1`.
    package var name: String
    /// The source of the sequence, and how reliable it is.
    package var origin: String
    /// The length in bytes of the resource that the steps' numbers refer to.
    package var length: Int64
    /// The requests, one for each step.
    package var steps: [Step]
    /// The first byte that is not available; the first ``failures`` requests for it fail.
    package var failsAt: Int64?
    /// The number of requests that fail at ``failsAt``.
    package var failures = 0

    /// Describes a sequence.
    package init(name: String, origin: String, length: Int64, steps: [Step]) {
        self.name = name
        self.origin = origin
        self.length = length
        self.steps = steps
    }

    /// The number of assets in the sequence.
    package var assets: Int { (self.steps.map(\.asset).max() ?? 0) + 1 }

    /// The same sequence on a resource of another length.
    ///
    /// All numbers change in proportion, except the two bytes of a probe.
    package func scaled(to length: Int64) -> PlayerScript {
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

    /// The same sequence with a player that stops every request after `most` bytes.
    package func cutShort(after most: Int64) -> PlayerScript {
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
            step.overlap = step.overlap.map { min($0, most) }
            return step
        }
        return script
    }
}

extension PlayerScript {
    /// One request.
    package struct Step: Hashable, Sendable {
        /// Where a request begins.
        package enum Start: Hashable, Sendable {
            /// At a byte.
            case byte(Int64)
            /// This many bytes before the end; after the end, if the number is negative.
            case beforeEnd(Int64)
        }

        /// The length of a request.
        package enum Extent: Hashable, Sendable {
            /// This many bytes, whatever the resource's length.
            case bytes(Int64)
            /// The rest of the resource, computed by the player: its length minus the start.
            case rest
            /// `Int64.max`: the player does not know the length.
            case unknown
            /// No bytes: the request asks only for information.
            case nothing
        }

        /// How the request ends.
        package enum Ending: Hashable, Sendable {
            /// The player waits until it has ended.
            case awaited
            /// The player cancels the request when it has received this many bytes.
            case cancelled(after: Int64)
            /// The player continues when it has received this many bytes, and forgets to cancel the
            /// request.
            case forgotten(after: Int64)
        }

        /// The asset of the request.
        package var asset = 0
        /// Its first byte.
        package var start: Start
        /// The length of the request.
        package var extent: Extent
        /// Whether the request asks for all bytes to the end.
        package var toTheEnd: Bool
        /// Whether the player asks for information about the resource.
        package var wantsInformation = false
        /// The type identifiers that the player accepts.
        package var allowedTypes: [String]?
        /// How the request ends.
        package var ending: Ending
        /// How many bytes the previous request must have received before the player makes this
        /// request beside it.
        ///
        /// `nil` if the player first waits until it is done with the previous request.
        package var overlap: Int64?
        /// The asset that disappears as soon as this request is made.
        package var leaves: Int?

        /// Describes a request.
        package init(_ start: Start, _ extent: Extent, toTheEnd: Bool, _ ending: Ending) {
            self.start = start
            self.extent = extent
            self.toTheEnd = toTheEnd
            self.ending = ending
        }

        /// The two bytes with which every player begins, with a request for information about the
        /// resource.
        package static let probe = Step.probe(asset: 0)

        /// The probe of an asset.
        package static func probe(asset: Int) -> Step {
            var step = Step(.byte(0), .bytes(2), toTheEnd: false, .awaited)
            step.asset = asset
            step.wantsInformation = true
            return step
        }

        /// The whole resource from a byte on.
        package static func rest(from offset: Int64, _ ending: Ending) -> Step {
            Step(.byte(offset), .rest, toTheEnd: true, ending)
        }

        /// This many bytes from a byte on.
        package static func span(_ offset: Int64, _ count: Int64, _ ending: Ending = .awaited)
            -> Step
        {
            Step(.byte(offset), .bytes(count), toTheEnd: false, ending)
        }

        /// The same request, made while the previous request is live.
        package func overlapping(after count: Int64 = 0) -> Step {
            var step = self
            step.overlap = count
            return step
        }

        /// The same request for another asset.
        package func of(asset: Int, leaving other: Int? = nil) -> Step {
            var step = self
            step.asset = asset
            step.leaves = other
            return step
        }
    }
}

extension PlayerScript.Step {
    /// The same request with other numbers.
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
        step.overlap = self.overlap.map(change)
        return step
    }

    /// The first byte in a resource of a given length.
    func offset(inLength length: Int64) -> Int64 {
        switch self.start {
        case .byte(let offset): offset
        case .beforeEnd(let count): max(0, length - count)
        }
    }

    /// The length in the request; `nil` if the request asks for no bytes.
    func count(inLength length: Int64) -> Int64? {
        switch self.extent {
        case .bytes(let count): count
        case .rest: max(0, length - self.offset(inLength: length))
        case .unknown: .max
        case .nothing: nil
        }
    }
}

extension PlayerScript {
    /// A variation of the sequence, as another player might produce it, or the same player on
    /// another day.
    ///
    /// Cancel points move, cancellations are missing, and requests overlap. A tail is read before
    /// the head, or the end is unknown. Information is requested again, and some requests ask for
    /// no bytes, or for bytes after the end.
    ///
    /// - Parameter generator: decides the variations.
    /// - Returns: a sequence for a resource of the same length.
    package func varied(using generator: inout some RandomNumberGenerator) -> PlayerScript {
        var script = self
        script.steps = []
        let overlaps = Double.random(in: 0...0.7, using: &generator)
        let forgets = Double.random(in: 0...0.5, using: &generator)
        for step in self.steps {
            if Double.random(in: 0..<1, using: &generator) < 0.15 {
                script.steps.append(self.extra(of: step.asset, using: &generator))
            }
            var step = self.jittered(step, forgets: forgets, using: &generator)
            if Double.random(in: 0..<1, using: &generator) < overlaps {
                step.overlap = Int64.random(in: 0...max(1, self.length / 4), using: &generator)
            }
            script.steps.append(step)
            // The player repeats the request at once: only their identity distinguishes the two
            // requests.
            if Double.random(in: 0..<1, using: &generator) < 0.1 {
                let after = Int64.random(in: 0...max(1, self.length / 2), using: &generator)
                var twin = step
                twin.overlap = 0
                if Bool.random(using: &generator) { twin.ending = .cancelled(after: after) }
                script.steps[script.steps.count - 1].ending = .cancelled(after: after)
                script.steps.append(twin)
            }
        }
        return script
    }

    private func jittered(
        _ step: Step,
        forgets: Double,
        using generator: inout some RandomNumberGenerator
    ) -> Step {
        var step = step
        let isForgotten = Double.random(in: 0..<1, using: &generator) < forgets
        switch step.ending {
        case .awaited:
            if step.extent != .bytes(2), Double.random(in: 0..<1, using: &generator) < 0.2 {
                let after = Int64.random(in: 0...max(1, self.length), using: &generator)
                step.ending = isForgotten ? .forgotten(after: after) : .cancelled(after: after)
            }
        case .cancelled(let count), .forgotten(let count):
            let after = Int64.random(in: 0...(2 * count + 2), using: &generator)
            step.ending = isForgotten ? .forgotten(after: after) : .cancelled(after: after)
        }
        if step.extent == .rest, Double.random(in: 0..<1, using: &generator) < 0.2 {
            step.extent = .unknown
            if Double.random(in: 0..<1, using: &generator) < 0.3 { step.toTheEnd = false }
        }
        if step.extent == .rest, step.toTheEnd, Double.random(in: 0..<1, using: &generator) < 0.1 {
            // The server must ignore the length in a request to the end.
            step.extent = .bytes(Int64.random(in: 0...max(1, self.length / 2), using: &generator))
        }
        if step.wantsInformation {
            step.allowedTypes = Self.allowances.randomElement(using: &generator) ?? nil
        }
        return step
    }

    /// A request that is in no sequence, but that any player may make.
    private func extra(of asset: Int, using generator: inout some RandomNumberGenerator) -> Step {
        let anywhere = Int64.random(in: 0...max(1, self.length), using: &generator)
        let some = Int64.random(in: 1...max(1, self.length / 8), using: &generator)
        var step: Step
        switch Int.random(in: 0..<9, using: &generator) {
        case 0: step = .probe
        case 1:
            step = Step(.byte(0), .nothing, toTheEnd: false, .awaited)
            step.wantsInformation = true
        case 2:
            step = .span(anywhere, 0)
            step.wantsInformation = Bool.random(using: &generator)
        case 3: step = Step(.beforeEnd(some), .bytes(some), toTheEnd: false, .awaited)
        case 4: step = Step(.beforeEnd(some), .rest, toTheEnd: true, .awaited)
        case 5: step = .span(self.length, some)
        case 6: step = .span(self.length + some, some)
        case 7: step = Step(.byte(anywhere), .rest, toTheEnd: true, .cancelled(after: some))
        default:
            step = .span(anywhere, some)
            step.wantsInformation = Bool.random(using: &generator)
        }
        if step.wantsInformation {
            step.allowedTypes = Self.allowances.randomElement(using: &generator) ?? nil
        }
        step.asset = asset
        return step
    }

    /// The type lists that players have sent.
    private static let allowances: [[String]?] = [
        nil, nil, nil, [],
        ["public.mp3"],
        ["public.mpeg-4", "public.mp3"],
        ["com.apple.m4v-video", "public.mp3", "com.apple.m4a-audio", "public.mpeg-4-audio"],
        ["public.mpeg-4"],
        ["com.apple.quicktime-movie"],
    ]
}
