// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirClouds
import WeirSource

/// The observed state of a source's origin: recent failures, and a `no-store` for its listings.
final class OriginState: Sendable {
    /// How long Weir sends no listing request to an unreachable origin.
    ///
    /// Otherwise, each folder of a tree would wait for the origin.
    private static let memory = Duration.seconds(10)

    private let last = Mutex<(error: SourceError, time: ContinuousClock.Instant)?>(nil)
    private let isForbidden = Atomic(false)

    /// The recent error of an origin that did not answer; `nil` if Weir may send a request.
    var recentFailure: SourceError? {
        self.last.withLock { last in
            guard let last, ContinuousClock.now - last.time < Self.memory else { return nil }
            return last.error
        }
    }

    /// Records an error if the origin sent no response; an origin that responds stays in use.
    func note(_ error: SourceError) {
        guard Self.isUnanswered(error) else { return }
        self.last.withLock { $0 = (error, ContinuousClock.now) }
    }

    /// Whether the origin has forbidden to store its listings.
    var forbidsStoring: Bool { self.isForbidden.load(ordering: .relaxed) }

    /// Records a `Cache-Control: no-store`.
    func forbidStoring() { self.isForbidden.store(true, ordering: .relaxed) }

    /// Whether the origin sent no response, so the next request would get no response, either.
    static func isUnanswered(_ error: SourceError) -> Bool {
        [.unreachable, .timedOut].contains(error.code)
    }

    /// Whether an error says nothing about the file or folder: the origin is away, or fails.
    static func isOutage(_ error: SourceError) -> Bool {
        ExitStatus(for: error) == .network && !(error.cause is IncompleteListing)
    }
}
