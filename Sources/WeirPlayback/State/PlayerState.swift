// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a player is doing.
public enum PlayerState: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nothing was asked of it yet.
    case initialized
    /// It opens what it was told to play.
    case starting
    /// It is connected and has no packet yet.
    case waitingForData
    /// There are packets, and it gathers enough of them for the sound to begin.
    case waitingForQueueToStart
    /// Sound comes out.
    case playing
    /// Sound came out and has run dry; it gathers more before it goes on.
    case buffering
    /// The user holds it.
    case paused
    /// It was told to stop and lets go of what it uses.
    case stopping
    /// It has stopped; ``StopReason`` says why.
    case stopped
}
