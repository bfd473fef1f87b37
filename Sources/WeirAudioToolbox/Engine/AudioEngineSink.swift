// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import Dispatch
import Synchronization
public import WeirPlayback

/// Plays sound on an Apple device, through AVAudioEngine.
///
/// At most half a second lies in the engine. Each format has a player node of its own, connected to the main mixer,
/// which converts rates and channels: sound of another format is told to begin when the sound before it ends, so that
/// nothing is missing between. When the device changes (``/WeirPlayback/AudioError/Code/deviceChanged``), ``open(_:)`` begins with
/// another engine. It needs an active audio session on iOS: see `AudioSessionGuard`.
public final class AudioEngineSink: AudioSink {
    /// The state of the sink; the engine is used on the queue alone.
    struct State {
        var schedule = EngineSchedule()
        var engine: ScheduledEngine?
        /// Counts the engines there were.
        var engines: UInt64 = 0
        var waiters:
            [(
                id: UInt64, wait: EngineSchedule.Wait,
                continuation: CheckedContinuation<Void, any Error>
            )] = []
        var lastWaiter: UInt64 = 0
        /// The delay while the sound stands still, in seconds.
        var frozen: Double?
    }

    let state = Mutex(State())
    /// The engine is used here and nowhere else: some of its calls take their time, and callers must not wait.
    let queue = DispatchQueue(label: "weir.audio-engine", qos: .userInitiated)

    /// A sink that has no engine yet.
    public init() {}

    /// Writing takes as long as the sound does.
    public var isPaced: Bool { true }

    /// How much of what was written is not heard yet, the way from the mixer to the ear included.
    public var delay: Duration {
        .seconds(self.state.withLock { $0.frozen ?? Self.delay($0) })
    }

    private static func delay(_ state: borrowing State) -> Double {
        guard let engine = state.engine, state.schedule.hasUnheard else { return 0 }
        return state.schedule.voices.reduce(engine.latency) {
            $0 + $1.seconds(engine.remaining($1))
        }
    }

    /// Gets ready for sound of a format, from 1 to 8 channels.
    ///
    /// - Parameter format: the format.
    /// - Returns: the same.
    /// - Throws: `AudioError` with ``/WeirPlayback/AudioError/Code/badFormat``; `CancellationError`.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        guard let voice = EngineVoice(format) else {
            throw AudioError(
                .badFormat,
                """
                The sound device takes no sound of \(format.channelCount) channels at \
                \(format.sampleRate) Hz
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

    /// Takes frames, in pieces of a tenth of a second, and returns when there is room for as many again.
    ///
    /// - Parameter buffer: of the open format.
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
            // What was dropped meanwhile is not played on with.
            guard self.state.withLock({ $0.schedule.generation == generation }) else { return }
        }
    }

    /// Returns when all that was written has been heard.
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

    /// Holds the sound where it is.
    public func pause() {
        self.act { state in
            guard !state.schedule.isPaused else { return ([], []) }
            state.frozen = Self.delay(state)
            return (state.schedule.paused(), [])
        }
    }

    /// Lets the sound go on.
    public func resume() {
        self.act { state in
            state.frozen = nil
            return (state.schedule.resumed(), [])
        }
    }

    /// Drops what was written and not heard.
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

    /// Whether a call waits: for room, for another voice, or until all is heard.
    var isAwaited: Bool { self.state.withLock { !$0.waiters.isEmpty } }

    /// Returns when the engine has done what was decided so far.
    func settle() async {
        await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume() }
        }
    }
}
#endif
