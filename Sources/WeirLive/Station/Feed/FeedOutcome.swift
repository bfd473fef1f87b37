// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a feed made of the bytes it was given.
struct FeedOutcome: Sendable {
    /// How a connection's bytes turned out not to be sound.
    enum Verdict: Hashable, Sendable {
        /// They are a playlist with these entries.
        case playlist([String])
        /// They are nothing that can be played.
        case failure(StationFailure)
    }

    /// What is to be kept, in order.
    var steps: [FeedStep] = []
    /// How much sound that is.
    var sound: Duration = .zero
    /// Why no more bytes are wanted; `nil`: they are.
    var verdict: Verdict?
}
