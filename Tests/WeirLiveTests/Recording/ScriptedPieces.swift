// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirTestKit

@testable import WeirLive

/// A listener that is given its pieces by a test.
final class ScriptedPieces: StationPieces {
    private struct State: Sendable {
        var pieces: [StationPiece]
        var end: Result<Void, StationLoss>?
        var isCancelled = false
        var taken = 0
    }

    private let state: Watched<State>

    /// - Parameters:
    ///   - pieces: what comes.
    ///   - end: what comes behind them: the end, or a loss; `nil`: nothing, until it is cancelled.
    init(_ pieces: [StationPiece] = [], end: Result<Void, StationLoss>? = nil) {
        self.state = Watched(State(pieces: pieces, end: end))
    }

    var isCancelled: Bool { self.state.value.isCancelled }

    /// More comes.
    func give(_ pieces: [StationPiece]) { self.state.update { $0.pieces += pieces } }

    /// Waits until so many pieces were taken, and the next is asked for.
    func waitUntilTaken(_ count: Int) async throws {
        try await self.state.wait { $0.taken > count }
    }

    func next() async throws -> StationPiece? {
        self.state.update { $0.taken += 1 }
        try await self.state.wait { !$0.pieces.isEmpty || $0.isCancelled || $0.end != nil }
        try Task.checkCancellation()
        let next = self.state.update { state -> Result<StationPiece?, StationLoss> in
            if state.isCancelled { return .success(nil) }
            if !state.pieces.isEmpty { return .success(state.pieces.removeFirst()) }
            if case .failure(let loss)? = state.end { return .failure(loss) }
            return .success(nil)
        }
        return try next.get()
    }

    func cancel() { self.state.update { $0.isCancelled = true } }
}
