// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a stub player consumes bytes; not Apple's.
public struct StubPacing: Sendable, Hashable {
    /// When bytes are consumed.
    public enum Pace: Sendable, Hashable {
        /// When they arrive, while playing.
        case asItComes
        /// When the test grants them, while playing.
        case granted
    }

    /// When bytes are consumed.
    public var pace = Pace.asItComes
    /// How many unconsumed bytes make the player cancel its request; it makes a new request when
    /// half of that is left.
    public var window: Int64 = 4 << 20
    /// Whether a seek leaves the previous request alive, as seen with repeated seeks of the real
    /// player.
    public var leavesRequestOnSeek = false
    /// Whether consumed bytes are kept for the test to compare.
    public var keepsBytes = false

    /// The pacing of a new item.
    public init() {}
}
