// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A place in the ring at which a listener can begin.
struct RingJoint: Sendable {
    /// What the listener is to be told first, its cause ``StreamStretch/Cause/joined``; `nil` while the ring has no
    /// connection yet: the next that begins is told by itself.
    var stretch: StreamStretch?
    /// The station's time of the first sound from there, as far as it is known.
    var time: Duration
    /// The first event that is told to who begins here.
    var serial: Int64
    /// The byte that comes next.
    var offset: Int64
}
