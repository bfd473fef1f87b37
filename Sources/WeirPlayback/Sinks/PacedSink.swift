// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Makes a sink that takes what it is given take as long as the sound does: radio into a file.
///
/// What is written goes through at once and unchanged; nothing is inserted where the sound runs dry. What was written
/// within the last 0.4 s when it is discarded is in the file nevertheless.
public final class PacedSink: AudioSink {
    private let pacer: SinkPacer
    private let sink: any AudioSink

    /// A sink that is as fast as the sound.
    ///
    /// - Parameters:
    ///   - sink: where the sound goes; one that is not paced itself.
    ///   - clock: what sound is counted by.
    ///   - capacity: how much sound is taken ahead of what is heard, more than nothing.
    public init(
        wrapping sink: any AudioSink,
        clock: any Clock<Duration> = ContinuousClock(),
        capacity: Duration = .milliseconds(400)
    ) {
        self.sink = sink
        self.pacer = SinkPacer(capacity: capacity, clock: clock)
    }

    /// Always.
    public var isPaced: Bool { true }

    /// What was written and is not counted as heard.
    public var delay: Duration { self.pacer.delay }

    /// Opens the sink behind; what was written before goes on to be heard, without a gap.
    ///
    /// - Parameter format: how the next sound is laid out.
    /// - Returns: what the sink behind wants.
    /// - Throws: what that throws.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        try await self.sink.open(format)
    }

    /// Writes frames to the sink behind, and returns when a device would have room for as many again.
    ///
    /// - Parameter buffer: of the format that ``open(_:)`` returned.
    /// - Throws: what the sink behind throws; `CancellationError`, at once, when the task is cancelled.
    public func write(_ buffer: PCMBuffer) async throws {
        try await self.sink.write(buffer)
        try await self.pacer.write(buffer.duration)
    }

    /// Returns when all that was written would have been heard.
    ///
    /// - Throws: what the sink behind throws; `CancellationError`, at once, when the task is cancelled.
    public func drain() async throws {
        try await self.pacer.drain()
        try await self.sink.drain()
    }

    /// Stops the time of the sound.
    public func pause() {
        self.sink.pause()
        self.pacer.pause()
    }

    /// Lets it go on.
    public func resume() {
        self.sink.resume()
        self.pacer.resume()
    }

    /// Counts what is not heard as dropped.
    public func discard() {
        self.sink.discard()
        self.pacer.discard()
    }

    /// Closes the sink behind, and is not paused any more.
    public func close() async {
        self.pacer.close()
        await self.sink.close()
    }
}
