// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Where the owner of a cache directory answers the other processes, if it can.
struct OwnerAddress: Sendable {
    /// `nil` where the directory has none: the owner answers no process then, and is reached by none.
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
