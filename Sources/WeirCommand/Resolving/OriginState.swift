// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir
import WeirClouds
import WeirSource

/// What was seen of the origin of a source: that it is away, and that its listings must not be kept.
final class OriginState: Sendable {
    /// How long an origin that could not be reached is not asked about the next folder, so that the folders of a tree do
    /// not each wait for it.
    private static let memory = Duration.seconds(10)

    private let last = Mutex<(error: SourceError, time: ContinuousClock.Instant)?>(nil)
    private let isForbidden = Atomic(false)

    /// The error with which the origin left a question unanswered a moment ago, so that it need not be asked now; `nil`
    /// where it is to be asked.
    var recentFailure: SourceError? {
        self.last.withLock { last in
            guard let last, ContinuousClock.now - last.time < Self.memory else { return nil }
            return last.error
        }
    }

    /// Remembers an error if no answer came at all: a server that answers is asked about the next folder, too.
    func note(_ error: SourceError) {
        guard Self.isUnanswered(error) else { return }
        self.last.withLock { $0 = (error, ContinuousClock.now) }
    }

    /// Whether the origin has forbidden to store what it says.
    var forbidsStoring: Bool { self.isForbidden.load(ordering: .relaxed) }

    /// Takes note of `Cache-Control: no-store`.
    func forbidStoring() { self.isForbidden.store(true, ordering: .relaxed) }

    /// Whether no answer came at all, so that the next question would have none, either.
    static func isUnanswered(_ error: SourceError) -> Bool {
        [.unreachable, .timedOut].contains(error.code)
    }

    /// Whether an error says nothing of the file or the folder: the origin is away, or fails.
    static func isOutage(_ error: SourceError) -> Bool {
        ExitStatus(for: error) == .network && !(error.cause is IncompleteListing)
    }
}
