// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Holds tasks until a test opens it.
public final class Gate: Sendable {
    private let state: Watched<(isOpen: Bool, waiting: Int)>

    /// Makes a gate, closed by default.
    public init(isOpen: Bool = false) {
        self.state = Watched((isOpen, 0))
    }

    /// Whether a task passes without waiting.
    public var isOpen: Bool { self.state.value.isOpen }

    /// How many tasks wait at the gate.
    public var waiterCount: Int { self.state.value.waiting }

    /// Releases every waiting task, and lets every later one pass.
    public func open() {
        self.state.update { $0.isOpen = true }
    }

    /// Holds every later task.
    public func close() {
        self.state.update { $0.isOpen = false }
    }

    /// Waits until the gate is open.
    ///
    /// - Throws: `CancellationError`, at once, if the calling task is cancelled.
    public func wait() async throws {
        self.state.update { $0.waiting += 1 }
        defer { self.state.update { $0.waiting -= 1 } }
        try await self.state.wait { $0.isOpen }
        try Task.checkCancellation()
    }

    /// Waits until the gate is closed and at least this many tasks wait at it.
    ///
    /// - Throws: `CancellationError`.
    public func waitForWaiters(_ count: Int) async throws {
        try await self.state.wait { !$0.isOpen && $0.waiting >= count }
    }
}
