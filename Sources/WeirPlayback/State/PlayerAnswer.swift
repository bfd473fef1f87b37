// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What became of a command.
public enum PlayerAnswer: Hashable, Sendable {
    /// It is done, or under way.
    case done
    /// It was so already.
    case alreadySo
    /// It makes no sense now; the sentence says why.
    case refused(String)
}
