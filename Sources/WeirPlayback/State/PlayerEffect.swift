// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a player's machine wants to be done; in this order.
enum PlayerEffect: Hashable, Sendable {
    /// Leave what was begun before, drop its sound, and begin anew.
    case begin(generation: UInt64)
    /// Let the renderer of the generation write.
    case openGate
    /// Keep it from writing.
    case closeGate
    /// Hold the sink's sound where it is.
    case pauseSink
    /// Let it go on.
    case resumeSink
    /// Leave all, drop what was not heard, close the sink, and say so.
    case release(generation: UInt64)
    /// State, reason or error are others.
    case publish
}
