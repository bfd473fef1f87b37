// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Whether a listener is to get more.
enum ListenerEnd: Sendable {
    /// Yes.
    case open
    /// What is kept, and then this.
    case lost(StationLoss)
    /// No.
    case closed
}
