// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Holds tasks until a test opens it.
public final class Gate: Sendable {
    private let state: Watched<(isOpen: Bool, waiting: Int)>

    /// Makes a gate, shut unless told otherwise.
    public init(isOpen: Bool = false) {
        self.state = Watched((isOpen, 0))
    }

    /// Whether a task that comes passes at once.
    public var isOpen: Bool { self.state.value.isOpen }

    /// How many tasks stand before the gate.
    public var waiterCount: Int { self.state.value.waiting }

    /// Lets through every task that waits and every one that will come.
    public func open() {
        self.state.update { $0.isOpen = true }
    }

    /// Holds every task that comes from now on.
    public func close() {
        self.state.update { $0.isOpen = false }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError`, at once, when the calling task is cancelled.
    public func wait() async throws {
        self.state.update { $0.waiting += 1 }
        defer { self.state.update { $0.waiting -= 1 } }
        try await self.state.wait { $0.isOpen }
        try Task.checkCancellation()
    }

    /// Waits until at least this many tasks stand before the gate.
    ///
    /// - Throws: `CancellationError`.
    public func waitForWaiters(_ count: Int) async throws {
        try await self.state.wait { !$0.isOpen && $0.waiting >= count }
    }
}
