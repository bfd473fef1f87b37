// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio
public import WeirLive
import WeirSource

/// The state of a player at one moment, consistent in itself.
public struct PlayerSnapshot: Sendable {
    /// The state.
    public var state = PlayerState.initialized
    /// Why the player stopped, or is silent for a moment.
    public var stopReason = StopReason.none
    /// The error, with ``StopReason/error``.
    ///
    /// With ``StopReason/temporary`` it says that the player waits: for the sink's device, which
    /// has disappeared or hangs, or for a file's source, which delivers nothing.
    public var failure: PlayerFailure?
    /// The number of the run: counts starts, seeks and other beginnings; events of an older run are
    /// never reported.
    public var generation: UInt64 = 0

    /// The names of the queue's items: the given name, the name from the source, or "Item 3".
    public var itemNames: [String] = []
    /// The index of the playing item, from 0; `nil` before the first start.
    public var itemIndex: Int?
    /// Whether it is a station, which has no end and can seek only in the kept sound.
    public var isLive = false

    /// The position of the heard sound from the item's beginning; for a station, since its start.
    public var position: Duration = .zero
    /// The precision of the position: a seek in a file without a table lands where the bit rate
    /// suggests.
    ///
    /// During a seek, the position is the requested one.
    public var positionPrecision = PositionPrecision.exact
    /// The duration of the item; `nil` if unknown or without end.
    public var duration: Duration?
    /// The certainty of the duration.
    public var durationCertainty: AudioDuration.Certainty?
    /// How much sound is buffered after the position.
    public var buffered: Duration = .zero
    /// How much sound is gathered before playback begins or continues.
    public var bufferTarget: Duration = .seconds(1)
    /// The parts of the item in the cache, as fractions of its bytes, in order, from 0 to 1.
    public var heldFractions: [ClosedRange<Double>] = []

    /// The title from the tags or the station; `nil` without a title.
    public var title: String?
    /// The artist.
    public var artist: String?
    /// The album, or the station's name.
    public var album: String?
    /// The encoded format.
    public var format: AudioFormat?
    /// The decoded format.
    public var pcm: PCMFormat?

    /// The loudness of the heard sound.
    public var level = AudioLevel()
    /// The volume, from 0 to 1.
    public var volume: Double = 1
    /// Whether the sound is muted, whatever the volume.
    public var isMuted = false

    /// How many packets could not be decoded and were replaced by silence, since the start.
    public var concealedPackets = 0
    /// The number of underruns since the start.
    public var underruns = 0

    /// The status of the station's connection; `nil` if no station plays.
    public var station: StationStatus?
    /// How far behind the station's newest sound the position is; `nil` if no station plays.
    public var behindLive: Duration?
    /// How far back the station's sound is kept; `nil` if no station plays.
    public var rewindable: Duration?

    /// The snapshot of a player that was never started.
    public init() {}
}

/// The precision of a position.
public enum PositionPrecision: String, Hashable, Sendable, CaseIterable, Codable {
    /// To the sample.
    case exact
    /// From a table with steps, the bit rate, or the arrival time of a station's bytes.
    ///
    /// It may be wrong by seconds, until the end of the item or the next seek.
    case approximate
}

/// An event of a player; an event with a position is reported when that position is heard.
public enum PlayerEvent: Sendable {
    /// The state or its reason changed.
    case stateChanged(PlayerState, StopReason, PlayerFailure?)
    /// Another item is heard from now on.
    case itemStarted(index: Int, name: String)
    /// An item could not be played, or not to its end; the next is played, if there is one.
    case itemFailed(index: Int, PlayerFailure)
    /// The format changes at this position.
    case formatChanged(AudioFormat, PCMFormat, at: Duration)
    /// The title changes at this position.
    ///
    /// `sample` counts the frames written to the sink since the start or the last seek, up to the
    /// first frame with this title.
    case titleChanged(title: String?, artist: String?, album: String?, at: Duration, sample: Int64)
    /// A packet could not be decoded; silence was played for it.
    case concealed(AudioError, at: Duration)
    /// The parser skipped bytes.
    case trouble(AudioStreamFailure)
    /// This much of a station's sound was skipped at this position.
    ///
    /// The station was heard too late after a lost connection or a halt, or had been paused longer
    /// than its time shift keeps.
    case skipped(Duration, at: Duration)
    /// The state of the station's connection changed.
    case stationChanged(StationStatus)
    /// This many events were lost at this point, because the observer was slow.
    ///
    /// ``Player/snapshot`` has the state, the item and the title.
    case missed(Int)
}

extension PlayerEvent: LossyEvent {}
