// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What the system tells of its sound.
public enum SessionEvent: Hashable, Sendable {
    /// Another application took the sound: a call, an alarm, another player.
    case interruptionBegan
    /// It gave it back, and says whether to go on.
    case interruptionEnded(shouldResume: Bool)
    /// Sound goes another way.
    case routeChanged(RouteChange)
    /// The system's media server has gone; nothing sounds until it is back.
    case mediaServicesLost
    /// The media server is back, and nothing that was made before is of use.
    case mediaServicesReset
}
