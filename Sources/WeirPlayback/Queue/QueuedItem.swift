// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The beginning of an item in the queue.
struct QueuedItem: Sendable {
    var index: Int
    var name: String
    var position: Duration
    var isLive: Bool
}
