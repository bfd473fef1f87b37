// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a player is doing.
public enum PlayerState: String, Hashable, Sendable, CaseIterable, Codable {
    /// Nothing was asked of it yet.
    case initialized
    /// It opens what it was told to play.
    case starting
    /// It is connected and has no packet yet.
    case waitingForData
    /// There are packets, and it gathers enough of them for the sound to begin.
    case waitingForQueueToStart
    /// Sound comes out.
    case playing
    /// Sound came out and has run dry; it gathers more before it goes on.
    case buffering
    /// The user, or the system, paused the sound.
    case paused
    /// It was told to stop, and closes the sink.
    case stopping
    /// It has stopped; ``StopReason`` is the cause.
    case stopped
}

/// Why a player stopped, or is silent for a moment.
public enum StopReason: String, Hashable, Sendable, CaseIterable, Codable {
    /// It has not.
    case none
    /// All was played.
    case endOfStream
    /// The user wanted it.
    case user
    /// It could not go on; the error stands beside it.
    case error
    /// It goes on by itself: after a seek, on another device, when its device answers again, when the station is reached
    /// again, or when the source of a file gives more.
    case temporary
}

/// The result of a command.
enum PlayerAnswer: Hashable, Sendable {
    /// It is done, or under way.
    case done
    /// The player was in that state already.
    case alreadySo
    /// It makes no sense now; the sentence gives the reason.
    case refused(String)

    /// Whether the player does what was asked, or did so already.
    var isAccepted: Bool {
        if case .refused = self { return false }
        return true
    }
}
