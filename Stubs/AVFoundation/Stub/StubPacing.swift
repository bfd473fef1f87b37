// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a stub player consumes what it is given; not Apple's.
public struct StubPacing: Sendable, Hashable {
    /// When bytes are consumed.
    public enum Pace: Sendable, Hashable {
        /// As they come, while playing.
        case asItComes
        /// As the test grants them, while playing.
        case granted
    }

    /// When bytes are consumed.
    public var pace = Pace.asItComes
    /// How many bytes may lie unconsumed before the player cancels its request; it asks again at half of it.
    public var window: Int64 = 4 << 20
    /// Whether a seek leaves the request before it alive, as repeated seeks of the real player were seen to do.
    public var leavesRequestOnSeek = false
    /// Whether consumed bytes are kept for the test to compare.
    public var keepsBytes = false

    /// The pacing of a new item.
    public init() {}
}
