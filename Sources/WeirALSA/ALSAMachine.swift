// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import WeirPlayback

/// A pure machine: the requests to an ``ALSASink``, and how far the device's thread has carried them out.
///
/// The thread asks for its next step, performs it and reports the result. The sink's callers report their requests.
struct ALSAMachine: Sendable {
    /// The next step of the thread.
    enum Step: Equatable {
        /// Close the device and end.
        case close
        /// Drop the frames that the device has not played.
        case discard
        /// Pause the device.
        case pause
        /// Resume the device.
        case resume
        /// Change the gain.
        case setGain(Float)
        /// Write from the machine's samples, which belong to the write with this number.
        case write(UInt64)
        /// No samples to write: wait a moment while the device plays, or else until a caller makes a request.
        case rest(isPlaying: Bool)
    }

    /// When the device plays nothing for so long, draining ends: the device will not play the rest.
    static let patience: Duration = .seconds(5)

    private(set) var format: PCMFormat
    /// The samples of the pending write.
    private(set) var samples: ArraySlice<Float> = []
    private var writeCount: UInt64 = 0
    /// The new gain, until the thread gets it.
    private var wantedGain: Float?
    private var wantsPause = false
    private var wantsDiscard = false
    private var wantsClose = false
    private var isPaused = false
    /// How much sound the device had to play at ``moment``.
    private var deviceDelay: Duration = .zero
    private var moment: Duration = .zero
    /// The lowest delay measured since the device last took samples, and the time when it last fell.
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

    /// Records a measurement of how much the device still has to play.
    ///
    /// - Parameters:
    ///   - frameCount: `nil` for a device that ran dry. The delay measured before then runs out with time, because a
    ///     sound server may have taken sound that it has not played.
    ///   - now: the time.
    mutating func measured(_ frameCount: Int?, at now: Duration) {
        // A measurement is void when the thread has not yet performed a discard.
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

    /// Records that the device took samples.
    ///
    /// - Parameters:
    ///   - count: the number of samples.
    ///   - write: the number of their write. A discard may have removed the rest, and another write may have begun.
    /// - Returns: whether the write is complete.
    mutating func took(_ count: Int, ofWrite write: UInt64) -> Bool {
        if count > 0 { self.least = nil }
        guard write == self.writeCount, !self.samples.isEmpty else { return false }
        self.samples = self.samples.dropFirst(count)
        return self.samples.isEmpty
    }

    /// How much sound is not heard yet.
    func delay(at now: Duration) -> Duration {
        let waiting =
            Duration.seconds(self.samples.count / max(self.format.channelCount, 1))
            / max(self.format.sampleRate, 1)
        if self.wantsPause { return waiting + self.deviceDelay }
        return waiting + max(.zero, self.deviceDelay - max(.zero, now - self.moment))
    }

    /// Requests that samples be written.
    mutating func write(_ samples: [Float]) {
        self.samples = samples[...]
        self.writeCount += 1
    }

    /// Requests a gain.
    mutating func setGain(_ gain: Float) { self.wantedGain = gain }

    /// Requests a pause.
    mutating func pause(at now: Duration) {
        guard !self.wantsPause else { return }
        self.settle(at: now)
        self.wantsPause = true
    }

    /// Requests that the sound continue.
    mutating func resume(at now: Duration) {
        guard self.wantsPause else { return }
        self.moment = now
        self.progress = now
        self.wantsPause = false
    }

    /// Requests that the sound that is not heard yet be dropped.
    mutating func discard() {
        self.samples = []
        self.deviceDelay = .zero
        self.least = nil
        self.wantsDiscard = true
    }

    /// Drops the samples that were not written yet.
    mutating func giveUp() { self.samples = [] }

    /// Requests that the device be closed.
    mutating func close() {
        self.discard()
        self.wantsClose = true
    }
}
#endif
