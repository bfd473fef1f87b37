// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What is to be done with the player and the session, in the order given.
public enum SessionEffect: Hashable, Sendable {
    /// The player is silent for a time, by nobody's wish.
    case hold
    /// The silence is over; with `resumes`, sound goes on if it went before.
    case release(resumes: Bool)
    /// The player pauses, as if the user had said so.
    case pause
    /// The session says how its sound is to be treated, anew.
    case configure
    /// The session takes the sound back, before it can go on.
    case activate
    /// The sink is to be opened anew.
    case renewSink
}
