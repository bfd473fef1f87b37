// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// A read with few held bytes before its first hole waits for the origin's response about the hole.
///
/// The request for the hole is necessary in any case. The reader gets no byte before the response
/// to that request. If the origin then has another version, for example on another server of a
/// server farm, the reader gets only that version (law 2).
///
/// For example, AVPlayer first requests two bytes. Without this wait, AVPlayer could get two bytes
/// of a version that the other servers do not have.
extension ResourceLoader {
    /// A reader that waits for the origin's response before it takes its first byte.
    struct Beginning {
        /// The first byte that the reader lacks.
        let hole: Int64
        /// Ends the wait; cancelled when the reader goes on or leaves.
        var timer: Task<Void, Never>?
        /// Whether the reader has waited long enough.
        var isLate = false
    }

    /// The maximum wait; an origin that takes longer is treated as unreachable.
    static let longestBeginning = Revalidation.always.patience

    /// Whether a reader must wait for the origin's response about its first missing byte.
    ///
    /// Only for a reader that has taken no byte.
    ///
    /// - Parameters:
    ///   - id: the reader.
    ///   - range: the reader's range.
    /// - Returns: whether to wait, and then call this function again.
    /// - Throws: `SourceError` with `changed` if the origin has another version; the origin's
    ///   refusal, if the policy forbids the use of a denied resource.
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
            // If the origin says that the resource ends before the byte, it has answered.
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
        // Owned by the reader, which cancels it; ends after the longest wait.
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
    /// The first missing byte of a range that begins with few held bytes.
    ///
    /// - Returns: `nil` if the range starts with a missing byte, if it starts with many held bytes,
    ///   if all its bytes are held, or if the resource is immutable.
    func hole(behindFewHeldOf range: Range<Int64>, in generation: Generation) -> Int64? {
        guard !self.isImmutable, let run = generation.held.run(containing: range.lowerBound),
            run.upperBound < range.upperBound,
            run.upperBound - range.lowerBound <= self.shortBeginning
        else { return nil }
        return run.upperBound
    }
}

extension FetchPlan {
    /// Whether the origin has said to which version a missing byte belongs.
    ///
    /// The head of the response names the version. Without a validator, the version is known only
    /// when the byte is held, after the comparison. At or behind the end of the resource, the
    /// version is known at once.
    func knowsVersion(of offset: Int64) -> Bool {
        if self.held.contains(offset) || offset >= self.length ?? .max { return true }
        return self.overlap == 0
            && self.fetches.contains { $0.isAnswered && $0.claims(offset) }
    }
}
