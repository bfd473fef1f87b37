// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Takes as long as a loudspeaker would, and plays nothing.
///
/// It acts as a device with a buffer of 0.4 s and the time of a clock. With a manual clock, a test controls the
/// time of each action of a player.
public final class NullSink: AudioSink {
    private let pacer: SinkPacer

    /// A device that is not open yet.
    ///
    /// - Parameters:
    ///   - clock: the clock of the sound.
    ///   - capacity: how much sound it takes ahead of the heard sound, more than zero.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        capacity: Duration = .milliseconds(400)
    ) {
        self.pacer = SinkPacer(capacity: capacity, clock: clock)
    }

    /// Always true.
    public var isPaced: Bool { true }

    /// The written sound that does not count as heard yet.
    public var delay: Duration { self.pacer.delay }

    /// Takes any format; the sound written before continues without a gap.
    ///
    /// - Parameter format: the layout of the next sound.
    /// - Returns: the same format.
    /// - Throws: nothing.
    public func open(_ format: PCMFormat) async throws -> PCMFormat { format }

    /// Counts frames.
    ///
    /// - Parameter buffer: any sound.
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    public func write(_ buffer: PCMBuffer) async throws {
        try await self.pacer.write(buffer.duration)
    }

    /// Returns when all written sound would have been heard.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    public func drain() async throws { try await self.pacer.drain() }

    /// Stops the time of the sound.
    public func pause() { self.pacer.pause() }

    /// Continues the time of the sound.
    public func resume() { self.pacer.resume() }

    /// Drops the sound that is not heard yet.
    public func discard() { self.pacer.discard() }

    /// Drops the sound that is not heard yet, and ends a pause.
    public func close() async { self.pacer.close() }
}
