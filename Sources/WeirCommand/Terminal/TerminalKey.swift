// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A key of a terminal, as far as a player needs them.
enum TerminalKey: Hashable, Sendable {
    /// A letter, a digit, a blank or a sign of ASCII.
    case character(Character)
    case up
    case down
    case left
    case right
    /// Any other key that a terminal has told in a sequence that was understood to its end.
    case other
}
