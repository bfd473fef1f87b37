// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// An output of sound: a loudspeaker, a file, a clock that only counts.
///
/// One task opens, writes, drains and closes, one call at a time. ``pause()``, ``resume()``, ``discard()`` and
/// ``delay`` may be called from any thread at any time, also while a call waits, and return at once.
public protocol AudioSink: AnyObject, Sendable {
    /// Whether writing takes as long as the sound does; `false` for a file, which takes what it is given.
    var isPaced: Bool { get }

    /// How much of what was written is not heard yet; zero for a sink that is not paced.
    ///
    /// Never negative, and stands still while the sink is paused.
    var delay: Duration { get }

    /// The factor by which the sink multiplies what is heard; `nil` for a sink that does not.
    ///
    /// Where it is `nil`, which is the default, the player multiplies the samples before it writes them: a change is
    /// heard when what was written before has been.
    var gain: Float? { get }

    /// Changes the factor, without a click and as soon as it can be heard; called from any thread at any time, also
    /// before the sink is open. By default nothing happens.
    ///
    /// - Parameter gain: from 0 to 1; with 1 the samples stay as they are.
    func setGain(_ gain: Float)

    /// Gets ready for sound of a format; called before the first write and whenever the format changes.
    ///
    /// What was written before is heard to its end first; there is no gap but what the device cannot do without.
    ///
    /// - Returns: the format that ``write(_:)`` is to be given: the same, or the nearest that the sink can take.
    /// - Throws: ``AudioError``; `CancellationError`.
    func open(_ format: PCMFormat) async throws -> PCMFormat

    /// Takes frames, and returns when there is room for as many again.
    ///
    /// - Parameter buffer: of the format that ``open(_:)`` returned.
    /// - Throws: ``AudioError``; `CancellationError`, at once, when the task is cancelled: it is not known how
    ///   much of the buffer was taken.
    func write(_ buffer: PCMBuffer) async throws

    /// Returns when all that was written has been heard; at once when the task is cancelled.
    ///
    /// - Throws: ``AudioError``; `CancellationError`.
    func drain() async throws

    /// Pauses the sound where it is; a write that finds no room waits until ``resume()``.
    func pause()

    /// Lets the sound go on.
    func resume()

    /// Drops what was written and not heard; a waiting write or drain returns.
    func discard()

    /// Ends the use of the device or the file; what was not heard is dropped. ``open(_:)`` begins anew.
    func close() async
}

extension AudioSink {
    /// None: the player multiplies the samples.
    public var gain: Float? { nil }

    /// Does nothing.
    public func setGain(_ gain: Float) {}
}
