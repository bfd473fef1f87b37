// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The outcome of an item's playback; not Apple's.
public enum StubOutcome: Sendable {
    /// Every sample arrived and was consumed.
    case playedToEnd
    /// The playback failed; the item has the same error.
    case failed(AVError)
}
