// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An output of sound: a loudspeaker, a file, or a clock that only counts.
///
/// One task opens, writes, drains and closes, one call at a time. Any thread may call ``pause()``,
/// ``resume()``, ``discard()`` and ``delay`` at any time, even while another call waits; they
/// return at once.
public protocol AudioSink: AnyObject, Sendable {
    /// Whether writing takes as long as the sound; `false` for a file, which takes all sound at
    /// once.
    var isPaced: Bool { get }

    /// How much written sound is not heard yet; zero for a sink that is not paced.
    ///
    /// It is never negative, and stands still while the sink is paused.
    var delay: Duration { get }

    /// The factor by which the sink multiplies the heard sound; `nil` for a sink that does not
    /// multiply it.
    ///
    /// If it is `nil`, which is the default, the player multiplies the samples before it writes
    /// them: a change is heard after the sound written before.
    var gain: Float? { get }

    /// Changes the gain, without a click and as soon as it can be heard.
    ///
    /// Any thread may call it at any time, even before the sink is open. The default does nothing.
    ///
    /// - Parameter gain: from 0 to 1; 1 leaves the samples unchanged.
    func setGain(_ gain: Float)

    /// Prepares for sound of a format; called before the first write and whenever the format
    /// changes.
    ///
    /// The sound written before is heard to its end first; the gap is as short as the device
    /// allows.
    ///
    /// - Returns: the format for ``write(_:)``: the same, or the nearest that the sink accepts.
    /// - Throws: ``AudioError``; `CancellationError`.
    func open(_ format: PCMFormat) async throws -> PCMFormat

    /// Takes frames, and returns when there is room for as many again.
    ///
    /// - Parameter buffer: frames in the format that ``open(_:)`` returned.
    /// - Throws: ``AudioError``; `CancellationError`, at once, when the task is cancelled: the sink
    ///   may have taken any part of the buffer.
    func write(_ buffer: PCMBuffer) async throws

    /// Returns when all written sound has been heard; at once when the task is cancelled.
    ///
    /// - Throws: ``AudioError``; `CancellationError`.
    func drain() async throws

    /// Pauses the sound where it is; a write without room waits until ``resume()``.
    func pause()

    /// Continues the sound.
    func resume()

    /// Drops the written sound that was not heard; a waiting write or drain returns.
    func discard()

    /// Ends the use of the device or the file, and drops the unheard sound; ``open(_:)`` begins
    /// again.
    func close() async
}

extension AudioSink {
    /// `nil`: the player multiplies the samples.
    public var gain: Float? { nil }

    /// Does nothing.
    public func setGain(_ gain: Float) {}
}
