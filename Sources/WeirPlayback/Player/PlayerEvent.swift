// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio
public import WeirLive

/// What happened in a player, in order; what is said with a position is said when that position is heard.
public enum PlayerEvent: Sendable {
    /// The state or its reason is another.
    case stateChanged(PlayerState, StopReason, PlayerFailure?)
    /// Another item is heard from now on.
    case itemStarted(index: Int, name: String)
    /// An item could not be played, or not to its end; the next is played, if there is one.
    case itemFailed(index: Int, PlayerFailure)
    /// The format is another from this position on.
    case formatChanged(AudioFormat, PCMFormat, at: Duration)
    /// The title is another.
    ///
    /// `sample` counts the frames that were given to the sink since the start or the last seek, up to the first that
    /// belongs to it.
    case titleChanged(title: String?, artist: String?, album: String?, at: Duration, sample: Int64)
    /// A packet could not be decoded; silence was played for it.
    case concealed(AudioError, at: Duration)
    /// Bytes were passed over.
    case trouble(AudioStreamTrouble)
    /// The station's connection does something else.
    case stationChanged(StationStatus)
    /// A recording has begun a file, or ended one.
    case recording(RecordingEvent)
}
