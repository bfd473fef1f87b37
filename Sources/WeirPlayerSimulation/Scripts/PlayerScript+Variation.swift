// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension PlayerScript {
    /// The same sequence as another player, or the same on another day, might have it.
    ///
    /// Cancel points move, cancellations do not come, requests overlap, a tail is read before the head, the end is not
    /// known, information is asked for again, and requests come that ask for nothing or for what lies behind the end.
    ///
    /// - Parameter generator: decides what varies.
    /// - Returns: a sequence for a resource of the same length.
    public func varied(using generator: inout some RandomNumberGenerator) -> PlayerScript {
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
                step.moment = .overPrevious(
                    after: Int64.random(in: 0...max(1, self.length / 4), using: &generator)
                )
            }
            script.steps.append(step)
            // The very same at once once more: two requests that only their identity tells apart.
            if Double.random(in: 0..<1, using: &generator) < 0.1 {
                let after = Int64.random(in: 0...max(1, self.length / 2), using: &generator)
                var twin = step
                twin.moment = .overPrevious(after: 0)
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
            // Whatever length a player gives with a request to the end is to be ignored.
            step.extent = .bytes(Int64.random(in: 0...max(1, self.length / 2), using: &generator))
        }
        if step.wantsInformation {
            step.allowedTypes = Self.allowances.randomElement(using: &generator) ?? nil
        }
        return step
    }

    /// A request that no sequence has, and any player may make.
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

    /// What players have said that they take.
    private static let allowances: [[String]?] = [
        nil, nil, nil, [],
        ["public.mp3"],
        ["public.mpeg-4", "public.mp3"],
        ["com.apple.m4v-video", "public.mp3", "com.apple.m4a-audio", "public.mpeg-4-audio"],
        ["public.mpeg-4"],
        ["com.apple.quicktime-movie"],
    ]
}
