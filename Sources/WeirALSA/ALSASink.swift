// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
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
        var line: ALSALine?
        var samples = ALSASamples(integers: .bits16, channelCount: 1)
        /// Why there is no line any more.
        var failure: AudioError?
        var opener: CheckedContinuation<PCMFormat, any Error>?
        var waiter: CheckedContinuation<Void, any Error>?
        /// Whether the one that waits wants to know that all was heard, not that all was taken.
        var isDraining = false
        /// Whether the thread has to be woken.
        var isResting = false
        var wantsPause = false
    }

    private enum Lifting {
        case wait
        case go(Result<Void, any Error>)
    }

    let device: String
    private let queue = DispatchQueue(label: "ALSASink", qos: .userInteractive)
    let wakeup = DispatchSemaphore(value: 0)
    private let start = ContinuousClock.now
    let state = Mutex(State())

    /// A sink that is not open yet.
    ///
    /// - Parameter device: as ALSA knows it: `default`, or one that `aplay -L` lists.
    public init(device: String = "default") {
        self.device = device
    }

    /// Always; ALSA's `null` device, which takes all at once, is none that anybody listens to.
    public var isPaced: Bool { true }

    /// What the device has not played, as it said last, less the time since.
    public var delay: Duration {
        let now = self.now
        return self.state.withLock { $0.line?.delay(at: now) ?? .zero }
    }

    var now: Duration { self.start.duration(to: .now) }

    /// Opens the device, or goes on with it where the rate and the channels are the same.
    ///
    /// - Parameter format: how the next sound is laid out.
    /// - Returns: the nearest that the device takes.
    /// - Throws: `AudioError` with `unavailable` or `badFormat`; `CancellationError`.
    public func open(_ format: PCMFormat) async throws -> PCMFormat {
        let current = self.state.withLock { $0.line?.format }
        if let current {
            if current.sampleRate == format.sampleRate,
                current.channelCount == format.channelCount
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
        let bytes = self.state.withLock { $0.samples }.bytes(of: buffer.samples)
        try await self.wait { state in
            if bytes.isEmpty { return .go(.success(())) }
            state.isDraining = false
            state.line?.write(bytes)
            return .wait
        }
    }

    /// Returns when the device has played all.
    ///
    /// - Throws: `AudioError` with `deviceChanged` or `failed`; `CancellationError`, at once, when the task is
    ///   cancelled.
    public func drain() async throws {
        try await self.wait { state in
            state.isDraining = true
            return .wait
        }
    }

    /// Holds the sound: the device where it can be held, else what it has not played is taken back and played later.
    public func pause() {
        let now = self.now
        self.change { state in
            state.wantsPause = true
            state.line?.pause(at: now)
        }
    }

    /// Lets the sound go on.
    public func resume() {
        let now = self.now
        self.change { state in
            state.wantsPause = false
            state.line?.resume(at: now)
        }
    }

    /// Drops what the device has not played.
    public func discard() {
        self.change { state in
            state.line?.discard()
            return Self.takeWaiter(&state)
        }?.resume()
    }

    /// Closes the device, which is not paused any more; what was not played is dropped.
    public func close() async {
        await self.end(keepingPause: false)
    }

    private func end(keepingPause: Bool) async {
        self.change { state in
            state.line?.close()
            if !keepingPause { state.wantsPause = false }
            return Self.takeWaiter(&state)
        }?.resume()
        // Behind the work for the device, which ends now.
        await withCheckedContinuation { continuation in
            self.queue.async { continuation.resume() }
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

    private func wait(_ prepare: @Sendable (inout State) -> Lifting) async throws {
        try Task.checkCancellation()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                var replaced: CheckedContinuation<Void, any Error>?
                let lifting = self.change { state -> Lifting? in
                    // The task is marked as cancelled before its handlers run: either the handler below finds this
                    // continuation, or this sees the mark.
                    if Task.isCancelled { return .go(.failure(CancellationError())) }
                    guard state.line != nil else {
                        return .go(.failure(state.failure ?? Self.notOpen))
                    }
                    // One call at a time is the rule; who breaks it is not left waiting for ever.
                    replaced = Self.takeWaiter(&state)
                    let lifting = prepare(&state)
                    if case .wait = lifting { state.waiter = continuation }
                    return lifting
                }
                replaced?.resume(throwing: CancellationError())
                if case .go(let result) = lifting { continuation.resume(with: result) }
            }
        } onCancel: {
            self.change { state in
                state.line?.giveUp()
                return Self.takeWaiter(&state)
            }?.resume(throwing: CancellationError())
        }
    }

    private static var notOpen: AudioError {
        AudioError(.failed, "Sound was given to a device that is not open.")
    }
}
#endif
