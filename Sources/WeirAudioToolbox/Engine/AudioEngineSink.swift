// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import Dispatch
import Synchronization
public import WeirPlayback

/// Plays audio on an Apple device, through AVAudioEngine.
///
/// The engine holds at most half a second. Each format has a player node of its own, connected to the main mixer,
/// which converts rates and channels. Audio of another format is scheduled to begin when the audio before it ends,
/// so that there is no gap. When the device changes (``/WeirPlayback/AudioError/Code/deviceChanged``), ``open(_:)``
/// starts a new engine. On iOS the sink needs an active audio session: see `AudioSessionGuard`.
public final class AudioEngineSink: AudioSink {
    /// The state of the sink; only the queue changes the `AVAudioEngine` and its nodes, and any thread may read their
    /// clocks.
    struct State {
        var schedule = EngineSchedule()
        var engine: ScheduledEngine?
        /// How many engines there have been.
        var engines: UInt64 = 0
        var waiters:
            [(
                id: UInt64, wait: EngineSchedule.Wait,
                continuation: CheckedContinuation<Void, any Error>
            )] = []
        var lastWaiter: UInt64 = 0
        /// The delay while the audio is paused, in seconds.
        var frozen: Double?
    }

    let state = Mutex(State())
    /// The only queue that changes the `AVAudioEngine`: some of its methods take time, and callers must not wait.
    let queue = DispatchQueue(label: "weir.audio-engine", qos: .userInitiated)

    /// Makes a sink without an engine.
    public init() {}

    /// `true`: once half a second is written, writes wait for the playback.
    public var isPaced: Bool { true }

    /// How much of the written audio is not heard yet, including the latency from the mixer to the ear.
    public var delay: Duration {
        .seconds(self.state.withLock { $0.frozen ?? Self.delay($0) })
    }

    private static func delay(_ state: borrowing State) -> Double {
        guard let engine = state.engine, state.schedule.hasUnheard else { return 0 }
        return state.schedule.voices.reduce(engine.latency) {
            $0 + $1.seconds(engine.remaining($1))
        }
    }

    /// Prepares for audio of a format, with 1 to 8 channels.
    ///
    /// - Parameter format: the format.
    /// - Returns: the same format.
    /// - Throws: `AudioError` with ``/WeirPlayback/AudioError/Code/badFormat``; `CancellationError`.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        guard let voice = EngineVoice(format) else {
            throw AudioError(
                .badFormat,
                """
                Weir cannot play \(format.channelCount) channels at \(format.sampleRate) Hz; play audio of 1 to 8 \
                channels, at up to 1,000,000 Hz.
                """
            )
        }
        var isOpen = false
        while !isOpen {
            try Task.checkCancellation()
            isOpen = try await self.open(format, voice)
        }
        return format
    }

    /// Writes frames, in pieces of a tenth of a second, and returns when there is room for another piece.
    ///
    /// - Parameter buffer: frames of the open format.
    /// - Throws: `AudioError`; `CancellationError`.
    public func write(_ buffer: PCMBuffer) async throws {
        let channels = buffer.format.channelCount
        let piece = max(1, buffer.format.sampleRate / 10) * channels
        var start = 0
        while start < buffer.samples.count {
            try Task.checkCancellation()
            let samples = Array(buffer.samples[start..<min(start + piece, buffer.samples.count)])
            start += samples.count
            let generation = try self.hand(over: samples, of: buffer.format, isMark: false)
            let seconds = Double(samples.count / channels) / Double(buffer.format.sampleRate)
            try await self.wait(for: .room(seconds, generation: generation))
            // If the audio was discarded meanwhile, the rest is not written.
            guard self.state.withLock({ $0.schedule.generation == generation }) else { return }
        }
    }

    /// Returns when all written audio has been heard.
    ///
    /// - Throws: `AudioError`; `CancellationError`.
    public func drain() async throws {
        try Task.checkCancellation()
        guard
            let format = self.state.withLock({
                $0.schedule.hasUnheard ? $0.schedule.format : nil
            })
        else { return }
        let mark = [Float](repeating: 0, count: format.channelCount)
        let generation = try self.hand(over: mark, of: format, isMark: true)
        try await self.wait(for: .heard(generation: generation))
    }

    /// Pauses the audio.
    public func pause() {
        self.act { state in
            guard !state.schedule.isPaused else { return ([], []) }
            state.frozen = Self.delay(state)
            return (state.schedule.paused(), [])
        }
    }

    /// Resumes the audio.
    public func resume() {
        self.act { state in
            state.frozen = nil
            return (state.schedule.resumed(), [])
        }
    }

    /// Discards the written audio that has not been heard.
    public func discard() {
        self.act { state in
            if state.frozen != nil { state.frozen = 0 }
            return (state.schedule.discarded(), [])
        }
    }

    /// Ends the use of the device.
    public func close() async {
        self.act { state in
            state.frozen = nil
            return (state.schedule.closed(), [])
        }
        await self.settle()
        self.state.withLock { state in
            if state.schedule.needsEngine { state.engine = nil }
        }
    }

    /// Whether a call waits: for room, for another voice, or until all audio is heard.
    var isAwaited: Bool { self.state.withLock { !$0.waiters.isEmpty } }

    /// Returns when the engine has performed all effects decided so far.
    func settle() async {
        await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume() }
        }
    }
}
#endif
