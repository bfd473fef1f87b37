// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes an unpaced sink take as long as the sound: for radio into a file.
///
/// The written sound passes at once and unchanged; nothing is inserted where the sound runs dry.
/// After a discard, the sound of the last 0.4 s may be in the file nevertheless.
public final class PacedSink: AudioSink {
    private let pacer: SinkPacer
    private let sink: any AudioSink

    /// A sink that is as fast as the sound.
    ///
    /// - Parameters:
    ///   - sink: the output; a sink that is not paced itself.
    ///   - clock: the clock of the sound.
    ///   - capacity: how much sound it takes ahead of the heard sound, more than zero.
    public init(
        wrapping sink: any AudioSink,
        clock: any Clock<Duration> = ContinuousClock(),
        capacity: Duration = .milliseconds(400)
    ) {
        self.sink = sink
        self.pacer = SinkPacer(capacity: capacity, clock: clock)
    }

    /// Always true.
    public var isPaced: Bool { true }

    /// The written sound that does not count as heard yet.
    public var delay: Duration { self.pacer.delay }

    /// Opens the wrapped sink; the sound written before continues without a gap.
    ///
    /// - Parameter format: the layout of the next sound.
    /// - Returns: the format that the wrapped sink accepts.
    /// - Throws: the error of the wrapped sink.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        try await self.sink.open(format)
    }

    /// Writes frames to the wrapped sink, and returns when a device would have room for as many
    /// again.
    ///
    /// - Parameter buffer: frames in the format that ``open(_:)`` returned.
    /// - Throws: the error of the wrapped sink; `CancellationError`, at once, when the task is
    ///   cancelled.
    public func write(_ buffer: PCMBuffer) async throws {
        try await self.sink.write(buffer)
        try await self.pacer.write(buffer.duration)
    }

    /// Returns when all written sound would have been heard.
    ///
    /// - Throws: the error of the wrapped sink; `CancellationError`, at once, when the task is
    ///   cancelled.
    public func drain() async throws {
        try await self.pacer.drain()
        try await self.sink.drain()
    }

    /// Stops the time of the sound.
    public func pause() {
        self.sink.pause()
        self.pacer.pause()
    }

    /// Continues the time of the sound.
    public func resume() {
        self.sink.resume()
        self.pacer.resume()
    }

    /// Counts the unheard sound as dropped.
    public func discard() {
        self.sink.discard()
        self.pacer.discard()
    }

    /// Closes the wrapped sink, and ends a pause.
    public func close() async {
        self.pacer.close()
        await self.sink.close()
    }
}
