// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension ScriptedSource {
    /// Waits until a condition on the log holds.
    ///
    /// The condition is asked after every change, so that no state is missed, however short.
    ///
    /// - Throws: `CancellationError`.
    public func wait(until condition: @escaping @Sendable (Log) -> Bool) async throws {
        try await self.state.wait { condition($0.log) }
    }

    /// Waits until this many demands have come.
    ///
    /// - Throws: `CancellationError`.
    public func waitForReads(_ count: Int) async throws {
        try await self.wait { $0.demands.count >= count }
    }

    /// Waits until this many bytes have been handed out.
    ///
    /// - Throws: `CancellationError`.
    public func waitForBytes(_ count: Int64) async throws {
        try await self.wait { $0.byteCount >= count }
    }

    /// Waits until this many readings have been dropped before their end.
    ///
    /// - Throws: `CancellationError`.
    public func waitForDepartures(_ count: Int) async throws {
        try await self.wait { $0.readingCount(.left) >= count }
    }

    /// Waits until no reading runs.
    ///
    /// - Throws: `CancellationError`.
    public func waitUntilIdle() async throws {
        try await self.wait { $0.readingCount(.running) == 0 }
    }
}
