// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Takes as long as a loudspeaker would, and plays nothing.
///
/// A device with a buffer of 0.4 s whose time is that of a clock. With a manual clock, a test decides what a
/// player does at which moment.
public final class NullSink: AudioSink {
    private let pacer: SinkPacer

    /// A device that is not open yet.
    ///
    /// - Parameters:
    ///   - clock: what sound is counted by.
    ///   - capacity: how much sound is taken ahead of what is heard, more than nothing.
    public init(
        clock: any Clock<Duration> = ContinuousClock(),
        capacity: Duration = .milliseconds(400)
    ) {
        self.pacer = SinkPacer(capacity: capacity, clock: clock)
    }

    /// Always.
    public var isPaced: Bool { true }

    /// What was written and is not counted as heard.
    public var delay: Duration { self.pacer.delay }

    /// Takes any format; what was written before goes on to be heard, without a gap.
    ///
    /// - Parameter format: how the next sound is laid out.
    /// - Returns: the format.
    /// - Throws: nothing.
    public func open(_ format: PCMFormat) async throws -> PCMFormat { format }

    /// Counts frames.
    ///
    /// - Parameter buffer: any sound.
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    public func write(_ buffer: PCMBuffer) async throws {
        try await self.pacer.write(buffer.duration)
    }

    /// Returns when all that was written would have been heard.
    ///
    /// - Throws: `CancellationError`, at once, when the task is cancelled.
    public func drain() async throws { try await self.pacer.drain() }

    /// Stops the time of the sound.
    public func pause() { self.pacer.pause() }

    /// Lets it go on.
    public func resume() { self.pacer.resume() }

    /// Drops what is not heard.
    public func discard() { self.pacer.discard() }

    /// Drops what is not heard, and is not paused any more.
    public func close() async { self.pacer.close() }
}
