// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a station's machine wants done.
enum StationEffect: Hashable, Sendable {
    /// Connect anew; what the connection tells carries the generation.
    ///
    /// - Parameters:
    ///   - target: where to.
    ///   - generation: the connection's number.
    ///   - loss: why the last connection that brought sound was lost, if one was.
    case connect(StationTarget, generation: UInt64, loss: StationLoss?)
    /// End the connection, if it has not ended by itself.
    case disconnect
    /// Tell when a time has passed, in place of what that timer was set to before.
    case start(StationTimer, Duration, generation: UInt64)
    /// Tell that no more.
    case stop(StationTimer)
    /// Tell whoever watches.
    case publish(StationStatus)
    /// End all who listen now; `nil`: the station was closed.
    case end(StationLoss?)
}
