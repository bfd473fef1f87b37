// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the playback of an item came out; not Apple's.
public enum StubOutcome: Sendable {
    /// Every sample arrived and was consumed.
    case playedToEnd
    /// It failed; the item has the same error.
    case failed(AVError)
}
