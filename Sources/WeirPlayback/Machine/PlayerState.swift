// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The state of a player.
public enum PlayerState: String, Hashable, Sendable, CaseIterable, Codable {
    /// The player has had no command yet.
    case initialized
    /// The player opens the item.
    case starting
    /// The player is connected and has no packet yet.
    case waitingForData
    /// The player gathers enough packets for playback to begin.
    case waitingForQueueToStart
    /// Sound is played.
    case playing
    /// The sound has run dry; the player gathers more before it continues.
    case buffering
    /// The user, or the system, paused the sound.
    case paused
    /// The player was told to stop, and closes the sink.
    case stopping
    /// The player has stopped; ``StopReason`` is the cause.
    case stopped
}

/// Why a player stopped, or is silent for a moment.
public enum StopReason: String, Hashable, Sendable, CaseIterable, Codable {
    /// It has not stopped.
    case none
    /// All sound was played.
    case endOfStream
    /// The user stopped it.
    case user
    /// It could not continue; the snapshot and the event have the error.
    case error
    /// It continues without a command.
    ///
    /// That is after a seek or a change of device, when its device or the station responds again,
    /// or when a file's source delivers more.
    case temporary
}

/// The result of a command.
enum PlayerAnswer: Hashable, Sendable {
    /// The command is done, or under way.
    case done
    /// The player was in that state already.
    case alreadySo
    /// The command makes no sense now; the sentence gives the reason.
    case refused(String)

    /// Whether the player carries out the command, or was in that state already.
    var isAccepted: Bool {
        if case .refused = self { return false }
        return true
    }
}
