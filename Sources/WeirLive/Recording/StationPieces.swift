// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The pieces of a station for one who listens: what recordings and readings are made of.
protocol StationPieces: Sendable {
    /// As ``StationListener/next()``.
    func next() async throws -> StationPiece?
    /// As ``StationListener/cancel()``.
    func cancel()
}

extension StationListener: StationPieces {}
