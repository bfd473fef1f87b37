// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far one listener has read.
struct RingCursor: Sendable {
    /// The byte that comes next.
    var offset: Int64
    /// The event that comes next.
    var serial: Int64
    /// The station's time of the byte that comes next, as it was last known.
    var time: Duration
    /// What is to be told before anything else.
    var stretch: StreamStretch?

    /// The beginning of a listener; the stretch is the first it reads.
    ///
    /// - Parameters:
    ///   - joint: where it begins.
    ///   - cause: why it begins there.
    ///   - gap: how much sound it leaves out.
    init(_ joint: RingJoint, cause: StreamStretch.Cause = .joined, gap: Duration = .zero) {
        self.offset = joint.offset
        self.serial = joint.serial
        self.time = joint.time
        self.stretch = joint.stretch
        self.stretch?.cause = cause
        self.stretch?.gap = gap
    }
}
