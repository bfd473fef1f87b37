// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirAudio
public import WeirLive
import WeirSource

/// The state of a player at one moment, consistent in itself.
public struct PlayerSnapshot: Sendable {
    /// The state.
    public var state = PlayerState.initialized
    /// Why it stopped, or is silent for a moment.
    public var stopReason = StopReason.none
    /// Why it could not go on, with ``StopReason/error``; with ``StopReason/temporary``, that the sink's device has gone
    /// or hangs, or that the source of a file gives nothing, and is waited for.
    public var failure: PlayerFailure?
    /// Counts the starts, seeks and other beginnings; events of an older one are never told.
    public var generation: UInt64 = 0

    /// The items of the queue, by name: the given one, that of the source, or "Item 3".
    public var itemNames: [String] = []
    /// Which of them plays, from 0; `nil` before the first start.
    public var itemIndex: Int?
    /// Whether it is a station: no end, no seeking but in what was kept.
    public var isLive = false

    /// What is heard now, from the item's beginning; of a station, since it was started.
    public var position: Duration = .zero
    /// How well the position is known: a seek in a file without a table lands where the bit rate says.
    ///
    /// While a seek is under way, the position is the one that was asked for.
    public var positionPrecision = PositionPrecision.exact
    /// How long the item is; `nil` if unknown or without end.
    public var duration: Duration?
    /// How certain the duration is.
    public var durationCertainty: AudioDuration.Certainty?
    /// How much sound is buffered behind the position.
    public var buffered: Duration = .zero
    /// How much sound is gathered before it begins, or goes on.
    public var bufferTarget: Duration = .seconds(1)
    /// Which parts of the item lie in the cache, as fractions of its bytes, in order, from 0 to 1.
    public var heldFractions: [ClosedRange<Double>] = []

    /// The title that the tags or the station give; `nil` if they give none.
    public var title: String?
    /// The artist.
    public var artist: String?
    /// The album it is from, or the station's name.
    public var album: String?
    /// How it is coded.
    public var format: AudioFormat?
    /// How it is decoded.
    public var pcm: PCMFormat?

    /// How loud what is heard now is.
    public var level = AudioLevel()
    /// From 0 to 1.
    public var volume: Double = 1
    /// Whether it is silenced whatever the volume.
    public var isMuted = false

    /// How many packets could not be decoded and were replaced by silence, since the start.
    public var concealedPackets = 0
    /// How often the sound ran dry, since the start.
    public var underruns = 0

    /// What the station's connection does; `nil` if no station plays.
    public var station: StationStatus?
    /// How far behind the station's newest sound the position is; `nil` if no station plays.
    public var behindLive: Duration?
    /// How far back the station's sound is kept; `nil` if no station plays.
    public var rewindable: Duration?

    /// The snapshot of a player that was never started.
    public init() {}
}

/// How well a position is known.
public enum PositionPrecision: String, Hashable, Sendable, CaseIterable, Codable {
    /// To the sample.
    case exact
    /// By a table with steps, an estimate from the bit rate, or the time at which a station's bytes came: off by
    /// seconds, perhaps, until the end of the item or the next seek.
    case approximate
}

/// What happened in a player; an event with a position is told when that position is heard.
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
    /// `sample` counts the frames that were given to the sink since the start or the last seek, up to the first that
    /// belongs to it.
    case titleChanged(title: String?, artist: String?, album: String?, at: Duration, sample: Int64)
    /// A packet could not be decoded; silence was played for it.
    case concealed(AudioError, at: Duration)
    /// Bytes were passed over.
    case trouble(AudioStreamTrouble)
    /// So much of a station's sound was given up at this position: the station was heard too late after a lost connection
    /// or a halt, or had been paused longer than its time shift keeps.
    case skipped(Duration, at: Duration)
    /// The state of the station's connection changed.
    case stationChanged(StationStatus)
    /// So many events were lost here, since the listener was slow: ``Player/snapshot`` has the state, the item and the
    /// title.
    case missed(Int)
}

extension PlayerEvent: LossyEvent {}
