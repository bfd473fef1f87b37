// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Knows whether some work of the disk has stopped.
///
/// It has stopped if a wait of ``Generation/diskPatience`` has ended and nothing was done since the wait began. It is
/// then not waited for again until something is done.
struct StallWatch: ~Copyable, Sendable {
    private let count = Atomic(0)
    /// The ``progress`` at which the work was found to have stopped; -1 if it was not.
    private let stalledCount = Atomic(-1)

    /// How often something was done.
    var progress: Int { self.count.load(ordering: .relaxed) }

    /// Whether the work has stopped.
    var hasStalled: Bool { self.stalledCount.load(ordering: .relaxed) == self.progress }

    /// Notes that something was done.
    func advanced() {
        self.count.wrappingAdd(1, ordering: .relaxed)
    }

    /// Notes that a wait has ended without success.
    ///
    /// - Parameter progress: the ``progress`` when it began.
    /// - Returns: whether the work has stopped.
    @discardableResult
    func waited(since progress: Int) -> Bool {
        self.stalledCount.store(progress, ordering: .relaxed)
        return self.hasStalled
    }
}
