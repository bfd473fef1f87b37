// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Synchronization
public import WeirPlayback

/// Plays through ALSA, and so through PulseAudio and PipeWire where they have their plug-in installed.
///
/// The device has a buffer of half a second and is served on a queue of its own. A device that ran dry, or slept with
/// the machine, goes on by itself. ALSA's messages, which would go to the standard error, are kept in the whole process
/// for the errors that are thrown.
public final class ALSASink: AudioSink {
    struct State {
        var machine: ALSAMachine?
        /// The factor of the sound, and that of what is heard.
        var gain: Float = 1
        var heardGain: Float = 1
        /// What the device was opened for.
        var asked: PCMFormat?
        /// Why the device is no longer open.
        var failure: AudioError?
        var opener: CheckedContinuation<PCMFormat, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
        /// Whether the waiter waits until all was heard, not until all was taken.
        var isDraining = false
        /// Whether the thread has to be woken.
        var isResting = false
        var wantsPause = false
        /// Who waits for the end of the device's work, and the number of that wait.
        var closer: CheckedContinuation<Void, Never>?
        var closeCount = 0
        /// Whether the library is opening the device, which takes as long as a sound server takes to answer.
        var isOpening = false
    }

    let device: String
    /// How long a device that is closed may take for what it is doing; a sound server that hangs is left to itself.
    private let patience: Duration
    private let queue = DispatchQueue(label: "ALSASink", qos: .userInteractive)
    let wakeup = DispatchSemaphore(value: 0)
    private let start = ContinuousClock.now
    let state = Mutex(State())

    /// A sink that is not open yet.
    ///
    /// - Parameter device: as ALSA knows it: `default`, or one that `aplay -L` lists.
    public convenience init(device: String = "default") {
        self.init(device: device, patience: .seconds(1))
    }

    init(device: String, patience: Duration) {
        self.device = device
        self.patience = patience
    }

    /// Always; ALSA's `null` device, which takes all at once, is none to listen to.
    public var isPaced: Bool { true }

    /// How much the device has not played, as measured last, less the time since.
    public var delay: Duration {
        let now = self.now
        return self.state.withLock { $0.machine?.delay(at: now) ?? .zero }
    }

    /// The factor of what is heard, as far as the device tells it.
    public var gain: Float? {
        self.state.withLock { $0.machine == nil ? $0.gain : $0.heardGain }
    }

    /// Changes the volume, also of what the device has not played.
    ///
    /// A card, and PipeWire's plug-in, give that back but for 70 ms. PulseAudio's plug-in gives nothing back: there the
    /// change is heard behind the half second that it holds.
    public func setGain(_ gain: Float) {
        self.change { state in
            guard state.gain != gain else { return }
            state.gain = gain
            state.machine?.setGain(gain)
        }
    }

    var now: Duration { self.start.duration(to: .now) }

    /// Opens the device, or goes on with it where the rate and the loudspeakers are the same.
    ///
    /// - Parameter format: how the next sound is laid out.
    /// - Returns: the nearest that the device takes.
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

    /// Gives frames to the device, and returns when it has taken all.
    ///
    /// - Parameter buffer: of the format that ``open(_:)`` returned.
    /// - Throws: `AudioError` with `deviceChanged` or `failed`; `CancellationError`, at once, when the task is
    ///   cancelled.
    public func write(_ buffer: PCMBuffer) async throws {
        try await self.wait { state in
            if buffer.samples.isEmpty { return .success(()) }
            state.isDraining = false
            state.machine?.write(buffer.samples)
            return nil
        }
    }

    /// Returns when the device has played all.
    ///
    /// - Throws: `AudioError` with `deviceChanged` or `failed`; `CancellationError`, at once, when the task is
    ///   cancelled.
    public func drain() async throws {
        try await self.wait { state in
            state.isDraining = true
            return nil
        }
    }

    /// Holds the sound: the device where it can be held, else what it has not played is taken back and played later.
    public func pause() {
        let now = self.now
        self.change { state in
            state.wantsPause = true
            state.machine?.pause(at: now)
        }
    }

    /// Lets the sound go on.
    public func resume() {
        let now = self.now
        self.change { state in
            state.wantsPause = false
            state.machine?.resume(at: now)
        }
    }

    /// Drops what the device has not played.
    public func discard() {
        self.change { state in
            state.machine?.discard()
            return Self.takeWaiter(&state)
        }?.resume()
    }

    /// Closes the device, which is not paused any more; what was not played is dropped.
    ///
    /// Returns within a second: a device whose server hangs is closed when that answers.
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
        // A device without an opener is closed as soon as it is open; a server that hangs is not waited for.
        if isOpening { return }
        await withCheckedContinuation { continuation in
            let number = self.state.withLock { state in
                state.closer = continuation
                state.closeCount += 1
                return state.closeCount
            }
            // Behind the work for the device, which ends now.
            self.queue.async { self.takeCloser(number)?.resume() }
            let (seconds, attoseconds) = self.patience.components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) {
                self.takeCloser(number)?.resume()
            }
        }
        // Of a device that is still at work, which finds that it is to close.
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

    /// Changes something that the thread is to see.
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

    /// Waits until the thread or another call resumes the waiter, unless `prepare` has the result at once.
    private func wait(
        _ prepare: @Sendable (inout State) -> Result<Void, any Error>?
    ) async throws {
        try Task.checkCancellation()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var replaced: CheckedContinuation<Void, any Error>?
                let result = self.change { state -> Result<Void, any Error>? in
                    // The task is marked as cancelled before its handlers run: either the handler below finds this
                    // continuation, or this sees the mark.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    guard state.machine != nil else {
                        return .failure(state.failure ?? Self.notOpen)
                    }
                    // One call at a time is the rule; a call that breaks it does not leave the other waiting for ever.
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
        AudioError(.failed, "Sound was given to a device that is not open.")
    }
}
#endif
