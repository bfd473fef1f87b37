// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the connection of a station does, and why.
public struct StationStatus: Hashable, Sendable {
    /// What it does.
    public enum Phase: Hashable, Sendable {
        /// Nobody listens; there is no connection.
        case idle
        /// It asks the station, or has its answer and waits for the first sound in it.
        case connecting
        /// Sound comes.
        case live
        /// The connection is lost; it tries again after this time.
        case waiting(Duration)
        /// It has given up.
        case ended
    }

    /// What it does.
    public var phase: Phase
    /// Why it is not live: the last loss or refusal; `nil` while there was none since sound came.
    public var reason: StationLoss?
    /// How many attempts in a row brought no sound.
    public var attempt: Int
    /// How many connections brought sound before this one.
    public var reconnects: Int
    /// What the station says of itself.
    public var info: StationInfo?

    /// A status.
    public init(
        phase: Phase = .idle,
        reason: StationLoss? = nil,
        attempt: Int = 0,
        reconnects: Int = 0,
        info: StationInfo? = nil
    ) {
        self.phase = phase
        self.reason = reason
        self.attempt = attempt
        self.reconnects = reconnects
        self.info = info
    }
}
