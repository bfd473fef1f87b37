// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// A read that has few held bytes before its first hole waits until the origin has answered about the hole.
///
/// The request for the hole is sent anyway. Until its answer has come, no byte has left: where the origin has another
/// version, as another server of a farm may, all of the read is of that one (law 2). AVPlayer's probe of two bytes,
/// answered by one server, otherwise leaves two bytes that no answer of another server may follow.
extension ResourceLoader {
    /// A reader that waits for the origin's answer before it takes its first byte.
    struct Beginning {
        /// The first byte that it lacks.
        let hole: Int64
        /// Ends the wait; cancelled when the reader goes on or departs.
        var timer: Task<Void, Never>?
        /// Whether the reader has waited long enough.
        var isLate = false
    }

    /// How long a reader waits: an origin that takes longer is treated as one that cannot be reached.
    static let longestBeginning = Revalidation.always.patience

    /// Whether a reader that has taken no byte has to wait for the origin's answer about the first byte that it lacks.
    ///
    /// - Parameters:
    ///   - id: the reader.
    ///   - range: what it wants.
    /// - Returns: whether to wait, and ask again then.
    /// - Throws: `SourceError` with `changed` where the origin has another version; what the origin said, where it was
    ///   that the resource is not to be had, and the policy refuses it then.
    func awaitsAnswer(_ id: DemandID, _ range: Range<Int64>) throws -> Bool {
        guard let reader = self.readers[id], let generation = reader.generation,
            reader.detachment == nil, self.degradation == nil
        else { return false }
        if let failure = reader.failure as? SourceError, failure.code == .changed { throw failure }
        let known = reader.beginning?.hole
        guard let hole = known ?? self.policy.hole(behindFewHeldOf: range, in: generation) else {
            return false
        }
        if reader.failure != nil || reader.beginning?.isLate == true {
            self.endBeginning(of: id)
            if let refusal { throw refusal }
            // That the resource ends before the byte is an answer, too.
            if (reader.failure as? SourceError)?.code != .rangeNotSatisfiable {
                self.current.noAnswer(Stopwatch(self.clock))
            }
            return false
        }
        guard !self.plan.knowsVersion(of: hole), !self.current.isLeftAlone else {
            self.endBeginning(of: id)
            return false
        }
        if reader.beginning == nil { self.begins(id, before: hole) }
        return true
    }

    private func begins(_ id: DemandID, before hole: Int64) {
        var beginning = Beginning(hole: hole)
        // Owned by the reader, which cancels it; ends with the time.
        beginning.timer = Task { [clock] in
            guard (try? await clock.sleep(for: Self.longestBeginning)) != nil else { return }
            self.grewLate(id)
        }
        self.readers[id]?.beginning = beginning
    }

    private func grewLate(_ id: DemandID) {
        self.readers[id]?.beginning?.isLate = true
        self.readers[id]?.wake()
    }

    private func endBeginning(of id: DemandID) {
        self.readers[id]?.beginning?.timer?.cancel()
        self.readers[id]?.beginning = nil
    }
}

extension LoadPolicy {
    /// The first missing byte of a range, where few bytes are held before it.
    ///
    /// - Returns: `nil` where the range starts with a missing byte, many are held, or all; and where they never change.
    func hole(behindFewHeldOf range: Range<Int64>, in generation: Generation) -> Int64? {
        guard !self.isImmutable, let run = generation.held.run(containing: range.lowerBound),
            run.upperBound < range.upperBound,
            run.upperBound - range.lowerBound <= self.shortBeginning
        else { return nil }
        return run.upperBound
    }
}

extension FetchPlan {
    /// Whether the origin has said which version a byte is of that was missing.
    ///
    /// The head of an answer says so; where no validator vouches for it, only the bytes do, when they have been compared.
    /// Where the resource turns out to end at the byte, its end says so.
    func knowsVersion(of offset: Int64) -> Bool {
        if self.held.contains(offset) || offset >= self.length ?? .max { return true }
        return self.overlap == 0
            && self.fetches.contains { $0.state != .opening && $0.claims(offset) }
    }
}
