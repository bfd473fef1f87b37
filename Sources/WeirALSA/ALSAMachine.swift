// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import WeirPlayback

/// What an ``ALSASink`` was asked to do and what of it the device's thread has done: a pure machine.
///
/// The thread asks for its next step, takes it, and tells what came of it; the sink's callers tell what they want.
struct ALSAMachine: Sendable {
    /// What the thread is to do next.
    enum Step: Equatable {
        /// Close the device and end.
        case close
        /// Drop what the device has not played.
        case discard
        /// Hold the device.
        case pause
        /// Let the device go on.
        case resume
        /// Change the volume to a factor.
        case setGain(Float)
        /// Write from the samples at hand, which belong to a write of this number.
        case write(UInt64)
        /// Nothing to write: wait a moment while the device plays what it has, else until there is something to do.
        case rest(isPlaying: Bool)
    }

    /// A device that plays nothing of what it has for so long will not play it: draining ends there.
    static let patience: Duration = .seconds(5)

    private(set) var format: PCMFormat
    /// The samples of the write that waits.
    private(set) var samples: ArraySlice<Float> = []
    private var writeCount: UInt64 = 0
    /// The factor of the sound that the thread was not told.
    private var wantedGain: Float?
    private var wantsPause = false
    private var wantsDiscard = false
    private var wantsClose = false
    private var isPaused = false
    /// What the device had to play at ``moment``.
    private var deviceDelay: Duration = .zero
    private var moment: Duration = .zero
    /// The least that was measured since the device last took samples, and when it became less.
    private var least: Duration?
    private var progress: Duration = .zero

    init(format: PCMFormat) {
        self.format = format
    }

    /// The next step of the thread.
    mutating func next() -> Step {
        if self.wantsClose { return .close }
        if self.wantsDiscard {
            self.wantsDiscard = false
            return .discard
        }
        if self.wantsPause != self.isPaused {
            self.isPaused = self.wantsPause
            return self.isPaused ? .pause : .resume
        }
        if let gain = self.wantedGain {
            self.wantedGain = nil
            return .setGain(gain)
        }
        if self.isPaused { return .rest(isPlaying: false) }
        if self.samples.isEmpty { return .rest(isPlaying: self.deviceDelay > .zero) }
        return .write(self.writeCount)
    }

    /// The device was asked how much it has to play.
    ///
    /// - Parameters:
    ///   - frameCount: `nil` for a device that ran dry: it gets no more, and what was measured before runs out by time,
    ///     since a sound server may have taken sound that it has not played.
    ///   - now: the time.
    mutating func measured(_ frameCount: Int?, at now: Duration) {
        // What was measured before a discard that the thread has not seen yet is no more.
        if self.wantsDiscard { return }
        guard let frameCount else { return self.settle(at: now) }
        let delay = Duration.seconds(frameCount) / max(self.format.sampleRate, 1)
        if self.isPaused || self.wantsPause || delay < self.least ?? .seconds(1 << 40) {
            self.least = delay
            self.progress = now
        }
        let isStuck = now - self.progress >= Self.patience && self.samples.isEmpty
        self.deviceDelay = isStuck ? .zero : delay
        self.moment = now
    }

    private mutating func settle(at now: Duration) {
        if !self.wantsPause {
            self.deviceDelay = max(.zero, self.deviceDelay - max(.zero, now - self.moment))
        }
        self.moment = now
    }

    /// The device took samples.
    ///
    /// - Parameters:
    ///   - count: how many.
    ///   - write: the write that they are of; a discard may have taken the rest away, and another write begun.
    /// - Returns: whether that was all of it.
    mutating func took(_ count: Int, ofWrite write: UInt64) -> Bool {
        if count > 0 { self.least = nil }
        guard write == self.writeCount, !self.samples.isEmpty else { return false }
        self.samples = self.samples.dropFirst(count)
        return self.samples.isEmpty
    }

    /// What is not heard.
    func delay(at now: Duration) -> Duration {
        let waiting =
            Duration.seconds(self.samples.count / max(self.format.channelCount, 1))
            / max(self.format.sampleRate, 1)
        if self.wantsPause { return waiting + self.deviceDelay }
        return waiting + max(.zero, self.deviceDelay - max(.zero, now - self.moment))
    }

    /// Samples are to be written.
    mutating func write(_ samples: [Float]) {
        self.samples = samples[...]
        self.writeCount += 1
    }

    /// The volume is to be this factor.
    mutating func setGain(_ gain: Float) { self.wantedGain = gain }

    /// The sound is to be held.
    mutating func pause(at now: Duration) {
        guard !self.wantsPause else { return }
        self.settle(at: now)
        self.wantsPause = true
    }

    /// The sound is to go on.
    mutating func resume(at now: Duration) {
        guard self.wantsPause else { return }
        self.moment = now
        self.progress = now
        self.wantsPause = false
    }

    /// What is not heard is to go.
    mutating func discard() {
        self.samples = []
        self.deviceDelay = .zero
        self.least = nil
        self.wantsDiscard = true
    }

    /// What was not written yet is to go.
    mutating func giveUp() { self.samples = [] }

    /// The device is to be closed.
    mutating func close() {
        self.discard()
        self.wantsClose = true
    }
}
#endif
