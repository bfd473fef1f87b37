// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// In which portions a ring is kept, and how much its index may hold.
struct RingGeometry: Sendable {
    /// How many bytes are kept, and written to disk, together.
    var block = 64 << 10
    /// How many bytes are dropped together; a multiple of ``block``.
    var segment = 1 << 20
    /// How many bytes stay in memory, the newest; more are written to disk.
    var memory = 1 << 20
    /// How near to each other two places to join may be in time.
    var markDistance = Duration.milliseconds(250)
    /// How many connections and titles are kept.
    var events = 16 << 10
    /// How many bytes their texts may have.
    var eventBytes = 4 << 20
    /// How many headers of logical streams are kept.
    var links = 1 << 10
    /// How many bytes these may have together.
    var headBytes = 8 << 20
    /// How many places to join are kept.
    var marks = 1 << 17
}
