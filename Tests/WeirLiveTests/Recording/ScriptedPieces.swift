// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive
import WeirTestKit

@testable import WeirLive

/// A listener with pieces from a test.
final class ScriptedPieces: StationPieces, StationSounds {
    private struct State: Sendable {
        var pieces: [StationPiece]
        var sounds: [StationSound]
        var end: Result<Void, StationError>?
        var isCancelled = false
        var taken = 0
    }

    private let state: Watched<State>

    /// - Parameters:
    ///   - pieces: the pieces for a reader of bytes.
    ///   - sounds: the sounds for a reader of packets.
    ///   - end: the end or the loss behind them; `nil` to wait until the cancellation.
    init(
        _ pieces: [StationPiece] = [],
        sounds: [StationSound] = [],
        end: Result<Void, StationError>? = nil
    ) {
        self.state = Watched(State(pieces: pieces, sounds: sounds, end: end))
    }

    var isCancelled: Bool { self.state.value.isCancelled }

    /// Adds more sounds.
    func give(_ sounds: [StationSound]) { self.state.update { $0.sounds += sounds } }

    /// Waits until a number of pieces were taken, and the reader waits for the next.
    func waitUntilTaken(_ count: Int) async throws {
        try await self.state.wait { $0.taken > count }
    }

    func next() async throws -> StationPiece? { try await self.next(\.pieces) }

    func nextSound() async throws -> StationSound? { try await self.next(\.sounds) }

    private func next<Piece: Sendable>(
        _ list: any WritableKeyPath<State, [Piece]> & Sendable
    ) async throws -> Piece? {
        self.state.update { $0.taken += 1 }
        try await self.state.wait { !$0[keyPath: list].isEmpty || $0.isCancelled || $0.end != nil }
        try Task.checkCancellation()
        let next = self.state.update { state -> Result<Piece?, StationError> in
            if state.isCancelled { return .success(nil) }
            if !state[keyPath: list].isEmpty {
                return .success(state[keyPath: list].removeFirst())
            }
            if case .failure(let loss)? = state.end { return .failure(loss) }
            return .success(nil)
        }
        return try next.get()
    }

    func cancel() { self.state.update { $0.isCancelled = true } }
}
