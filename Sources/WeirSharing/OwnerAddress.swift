// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The endpoint at which the owner of a cache directory answers other processes.
struct OwnerAddress: Sendable {
    /// `nil` for a directory without an endpoint: no other process can then reach the owner.
    let endpoint: (any OwnerEndpoint)?
    /// Measures the time between two processes.
    let timeline: Timeline

    /// Connects to the owner.
    ///
    /// - Throws: ``PeerError/disconnected`` if no process listens; `CancellationError`.
    func connect() async throws -> PeerConnection {
        do {
            guard let endpoint else { throw PeerError.disconnected }
            return PeerConnection(try await endpoint.connect(), timeline: self.timeline)
        } catch {
            try Task.checkCancellation()
            throw PeerError.disconnected
        }
    }
}
