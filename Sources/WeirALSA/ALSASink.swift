// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Synchronization
public import WeirPlayback

/// Plays through ALSA, and so also through PulseAudio and PipeWire if their ALSA plug-in is
/// installed.
///
/// The device has a buffer of half a second, and a dispatch queue of its own serves it. A device
/// that ran dry, or slept with the computer, continues without help. Weir keeps ALSA's messages in
/// the whole process for its own errors; otherwise ALSA would write them to the standard error.
public final class ALSASink: AudioSink {
    struct State {
        var machine: ALSAMachine?
        /// The wanted gain, and the gain of the sound that is heard now.
        var gain: Float = 1
        var heardGain: Float = 1
        /// The format that the caller opened the device for.
        var asked: PCMFormat?
        /// Why the device is no longer open.
        var failure: AudioError?
        var opener: CheckedContinuation<PCMFormat, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
        /// Whether the waiter waits until everything was heard, and not only until the device took
        /// everything.
        var isDraining = false
        /// Whether the thread rests and needs a wakeup.
        var isResting = false
        var wantsPause = false
        /// The call that waits for the end of the device's work, and the number of that wait.
        var closer: CheckedContinuation<Void, Never>?
        var closeCount = 0
        /// Whether the library is opening the device, which takes as long as the sound server needs
        /// to answer.
        var isOpening = false
    }

    let device: String
    /// How long closing waits for the device's current work, so that it does not wait for a hanging
    /// sound server.
    private let patience: Duration
    private let queue = DispatchQueue(label: "ALSASink", qos: .userInteractive)
    let wakeup = DispatchSemaphore(value: 0)
    private let start = ContinuousClock.now
    let state = Mutex(State())

    /// A sink that is not open yet.
    ///
    /// - Parameter device: an ALSA device name: `default`, or a name from `aplay -L`.
    public convenience init(device: String = "default") {
        self.init(device: device, patience: .seconds(1))
    }

    init(device: String, patience: Duration) {
        self.device = device
        self.patience = patience
    }

    /// Always true; ALSA's `null` device, which takes everything at once, is not meant for
    /// listening.
    public var isPaced: Bool { true }

    /// How much written sound has not been heard: the last measurement minus the time played since,
    /// and the samples that the device has not accepted yet.
    public var delay: Duration {
        let now = self.now
        return self.state.withLock { $0.machine?.delay(at: now) ?? .zero }
    }

    /// The gain of the sound that is heard now, as far as the device reports it.
    public var gain: Float? {
        self.state.withLock { $0.machine == nil ? $0.gain : $0.heardGain }
    }

    /// Changes the gain, also of the samples that the device has not played.
    ///
    /// A card and PipeWire's plug-in give back all but about 70 ms. PulseAudio's plug-in gives
    /// nothing back: the change is heard after the half second in its buffer.
    public func setGain(_ gain: Float) {
        self.change { state in
            guard state.gain != gain else { return }
            state.gain = gain
            state.machine?.setGain(gain)
        }
    }

    var now: Duration { self.start.duration(to: .now) }

    /// Opens the device, or keeps it open when the rate and the loudspeakers are the same.
    ///
    /// - Parameter format: the layout of the next sound.
    /// - Returns: the nearest format that the device accepts.
    /// - Throws: `AudioError` with `unavailable` or `badFormat`; `CancellationError`.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        let (current, asked) = self.state.withLock { ($0.machine?.format, $0.asked) }
        if let current {
            if current.sampleRate == format.sampleRate,
                asked?.channelCount == format.channelCount,
                asked?.channelLayout == format.channelLayout
            {
                return current
            }
            try await self.drain()
            await self.end(keepingPause: true)
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = self.state.withLock { state in
                    if Task.isCancelled { return true }
                    state.opener = continuation
                    state.failure = nil
                    state.asked = format
                    state.isOpening = true
                    return false
                }
                if isCancelled { return continuation.resume(throwing: CancellationError()) }
                self.queue.async { self.openAndPlay(format) }
            }
        } onCancel: {
            self.takeOpener()?.resume(throwing: CancellationError())
        }
    }

    /// Writes frames to the device, and returns when the device has taken all of them.
    ///
    /// - Parameter buffer: frames in the format that ``open(_:)`` returned.
    /// - Throws: `AudioError` with `deviceChanged` or `failed`; `CancellationError`, at once, when
    ///   the task is cancelled.
    public func write(_ buffer: PCMBuffer) async throws {
        try await self.wait { state in
            if buffer.samples.isEmpty { return .success(()) }
            state.isDraining = false
            state.machine?.write(buffer.samples)
            return nil
        }
    }

    /// Returns when the device has played everything.
    ///
    /// - Throws: `AudioError` with `deviceChanged` or `failed`; `CancellationError`, at once, when
    ///   the task is cancelled.
    public func drain() async throws {
        try await self.wait { state in
            state.isDraining = true
            return nil
        }
    }

    /// Pauses the sound: pauses the device if it can, or else takes back its unplayed frames to
    /// play them later.
    public func pause() {
        let now = self.now
        self.change { state in
            state.wantsPause = true
            state.machine?.pause(at: now)
        }
    }

    /// Continues the sound.
    public func resume() {
        let now = self.now
        self.change { state in
            state.wantsPause = false
            state.machine?.resume(at: now)
        }
    }

    /// Drops the frames that the device has not played.
    public func discard() {
        self.change { state in
            state.machine?.discard()
            return Self.takeWaiter(&state)
        }?.resume()
    }

    /// Closes the device, drops its unplayed frames, and ends a pause.
    ///
    /// Returns within a second. If the sound server hangs, the device is closed later, when the
    /// server answers.
    public func close() async {
        await self.end(keepingPause: false)
    }

    private func end(keepingPause: Bool) async {
        let (waiter, isOpening) = self.change { state in
            state.machine?.close()
            if !keepingPause { state.wantsPause = false }
            return (Self.takeWaiter(&state), state.isOpening)
        }
        waiter?.resume()
        // A device without an opener closes as soon as it is open; closing does not wait for a
        // server that hangs.
        if isOpening { return }
        await withCheckedContinuation { continuation in
            let number = self.state.withLock { state in
                state.closer = continuation
                state.closeCount += 1
                return state.closeCount
            }
            // Runs after the work for the device, which ends now.
            self.queue.async { self.takeCloser(number)?.resume() }
            let (seconds, attoseconds) = self.patience.components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
                self.takeCloser(number)?.resume()
            }
        }
        // The machine may belong to a device that is still at work; that device then finds that it
        // has to close.
        self.state.withLock { $0.machine = nil }
    }

    private func takeCloser(_ number: Int) -> CheckedContinuation<Void, Never>? {
        self.state.withLock { state in
            guard state.closeCount == number else { return nil }
            defer { state.closer = nil }
            return state.closer
        }
    }

    static func takeWaiter(
        _ state: inout State
    ) -> CheckedContinuation<Void, any Error>? {
        defer { state.waiter = nil }
        return state.waiter
    }

    func takeOpener() -> CheckedContinuation<PCMFormat, any Error>? {
        self.state.withLock { state in
            defer { state.opener = nil }
            return state.opener
        }
    }

    /// Changes the state, and wakes the thread if it rests.
    @discardableResult
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, isResting) = self.state.withLock { state in
            let result = body(&state)
            defer { state.isResting = false }
            return (result, state.isResting)
        }
        if isResting { self.wakeup.signal() }
        return result
    }

    /// Waits until the thread or another call resumes the waiter, unless `prepare` has a result at
    /// once.
    private func wait(
        _ prepare: @Sendable (inout State) -> Result<Void, any Error>?
    ) async throws {
        try Task.checkCancellation()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var replaced: CheckedContinuation<Void, any Error>?
                let result = self.change { state -> Result<Void, any Error>? in
                    // The task is marked as cancelled before its handlers run: either the handler
                    // below finds this continuation, or this line sees the mark.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.machine != nil else {
                        return .failure(state.failure ?? Self.notOpen)
                    }
                    // Callers must make one call at a time; if a caller breaks this rule, the
                    // earlier call must not wait for ever.
                    replaced = Self.takeWaiter(&state)
                    let result = prepare(&state)
                    if result == nil { state.waiter = continuation }
                    return result
                }
                replaced?.resume(throwing: CancellationError())
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            self.change { state in
                state.machine?.giveUp()
                return Self.takeWaiter(&state)
            }?.resume(throwing: CancellationError())
        }
    }

    private static var notOpen: AudioError {
        AudioError(.failed, "Sound was written to a device that is not open.")
    }
}
#endif
