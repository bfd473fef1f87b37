// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import Foundation
import WeirPlayback

/// An open device: used by one thread at a time, and never waits for longer than it is told.
final class ALSADevice {
    let name: String
    /// What it takes.
    let format: PCMFormat
    private var samples: ALSASamples
    /// How many frames its buffer holds, by its own word.
    private let ringFrames: Int
    /// How many frames it reads from there at once, at most.
    private let periodFrames: Int
    private let canTakeBack: Bool
    private(set) var isPaused = false

    private let pcm: OpaquePointer
    private let canPause: Bool
    private var history: ALSAHistory
    /// The samples that were taken back from the device; they are written again before anything else.
    private var replay: ArraySlice<Float> = []
    /// The number of the next frame that the device is given.
    private var frame: Int64 = 0
    private var gain: GainCurve
    /// How often it was found dry since it took anything.
    private var dryCount = 0
    /// A device that is dry as often as that takes nothing: the server behind its plug-in has gone.
    private static let mostDry = 20

    init(
        pcm: OpaquePointer,
        name: String,
        format: PCMFormat,
        samples: ALSASamples,
        ringFrames: Int,
        periodFrames: Int,
        canPause: Bool,
        canTakeBack: Bool,
        gain: Float
    ) {
        self.pcm = pcm
        self.name = name
        self.format = format
        self.samples = samples
        self.ringFrames = ringFrames
        self.periodFrames = max(1, min(periodFrames, ringFrames))
        self.canPause = canPause
        self.canTakeBack = canTakeBack
        self.gain = GainCurve(gain: gain)
        // Plug-ins that only pass on may have buffers of any size.
        let kept = min(ringFrames, format.sampleRate * 2)
        self.history = ALSAHistory(capacity: kept * samples.channelCount)
    }

    deinit {
        weir_alsa_close(self.pcm)
    }

    /// How many frames it has been given and not played; `nil` where it ran dry, and does not know.
    var delayFrames: Int? {
        let waiting = self.replay.count / self.samples.channelCount
        if self.isPaused, !self.canPause { return waiting }
        guard let frames = self.deviceFrames else { return waiting > 0 ? waiting : nil }
        return waiting + frames
    }

    /// How many frames the device itself has to play; `nil` where it ran dry.
    ///
    /// What a plug-in says of its delay may be old, and go up and down in a device that has nothing left. What it has
    /// room for is true: with room for all, it is dry.
    private var deviceFrames: Int? {
        if weir_alsa_state_of(self.pcm) == WEIR_ALSA_DRY { return nil }
        let room = weir_alsa_room(self.pcm)
        guard room >= 0 else { return room == -Int(EPIPE) ? nil : 0 }
        let waiting = self.ringFrames - room
        return waiting > 0 ? max(waiting, weir_alsa_delay(self.pcm)) : nil
    }

    /// Writes what finds room.
    ///
    /// - Parameter samples: whole frames, before their volume.
    /// - Returns: how many samples were taken; none where there is no room.
    /// - Throws: `AudioError` with `deviceChanged` or `failed`.
    func write(_ samples: ArraySlice<Float>) throws(AudioError) -> Int {
        while !self.replay.isEmpty {
            let count = try self.push(self.replay)
            if count == 0 { return 0 }
            self.replay = self.replay.dropFirst(count)
        }
        return try self.push(samples)
    }

    /// Writes what was taken back and finds room; whether that was all.
    func writeReplay() throws(AudioError) -> Bool {
        _ = try self.write([])
        return self.replay.isEmpty
    }

    /// Waits until there is room, or the time is over.
    ///
    /// A device that sleeps with the machine, and one whose plug-in wakes its caller too early, answers at once: the
    /// caller, which asks again and again, waits here all the same.
    func wait(milliseconds: CInt) throws(AudioError) {
        let start = ContinuousClock.now
        let status = weir_alsa_wait(self.pcm, milliseconds)
        if status < 0 { try self.recover(status) }
        if start.duration(to: .now) < .milliseconds(1) { usleep(5000) }
    }

    /// Lets a device play that has been given too little to begin by itself.
    func startIfReady() {
        if weir_alsa_state_of(self.pcm) == WEIR_ALSA_PREPARED, self.deviceFrames ?? 0 > 0 {
            weir_alsa_start(self.pcm)
        }
    }

    /// Pauses the device itself where it can be, else takes back what it has not played.
    func pause() {
        guard !self.isPaused else { return }
        self.isPaused = true
        if self.canPause, weir_alsa_state_of(self.pcm) == WEIR_ALSA_RUNNING,
            weir_alsa_pause(self.pcm, 1) >= 0
        {
            return
        }
        let unheard = self.deviceFrames ?? 0
        weir_alsa_drop(self.pcm)
        weir_alsa_prepare(self.pcm)
        self.replayLast(unheard)
        self.history.clear()
    }

    /// Lets the sound go on.
    func resume() {
        guard self.isPaused else { return }
        self.isPaused = false
        if weir_alsa_state_of(self.pcm) == WEIR_ALSA_PAUSED { weir_alsa_pause(self.pcm, 0) }
    }

    /// The factor of what is heard, when so many frames are not.
    func gain(behind delayFrames: Int?) -> Float {
        self.gain.value(at: self.frame - Int64(delayFrames ?? 0))
    }

    /// Changes the volume of what the device has not begun to read, or of what it is given next.
    ///
    /// What can be taken back is taken back and written again, at once or when a pause is over. The device keeps as much as it reads at once and
    /// 20 ms: it never runs dry meanwhile, and the samples are the same.
    func setGain(_ gain: Float) throws(AudioError) {
        let state = weir_alsa_state_of(self.pcm)
        if self.canTakeBack, state == WEIR_ALSA_RUNNING || state == WEIR_ALSA_PAUSED {
            let room = max(0, weir_alsa_room(self.pcm))
            let kept = self.periodFrames + self.format.sampleRate / 50
            let most = min(
                self.ringFrames - room - kept,
                self.history.count / self.samples.channelCount
            )
            if most > 0 { self.replayLast(max(0, weir_alsa_take_back(self.pcm, UInt(most)))) }
        }
        self.gain.change(to: gain, at: self.frame, over: Int64(self.format.sampleRate) * 3 / 100)
        if !self.isPaused { _ = try self.writeReplay() }
    }

    /// The last frames that it was given are to be written again.
    private func replayLast(_ frameCount: Int) {
        let samples = self.history.takeLast(frameCount * self.samples.channelCount)
        self.frame -= Int64(samples.count / self.samples.channelCount)
        self.replay = samples + self.replay
    }

    /// Drops what was not played.
    func discard() {
        self.replay = []
        self.history.clear()
        weir_alsa_drop(self.pcm)
        weir_alsa_prepare(self.pcm)
    }

    private func push(_ samples: ArraySlice<Float>) throws(AudioError) -> Int {
        let channelCount = self.samples.channelCount
        // Once more after a recovery, and no more than that: the caller comes again.
        for _ in 0..<2 where samples.count >= channelCount {
            let room = weir_alsa_room(self.pcm)
            if room == 0 { return 0 }
            let most = min(samples.count / channelCount, self.periodFrames, room)
            let written =
                room < 0 ? room : self.push(samples.prefix(most * channelCount), frameCount: most)
            if written >= 0 {
                self.dryCount = 0
                let count = min(written, most) * channelCount
                self.history.append(samples.prefix(count))
                self.frame += Int64(count / channelCount)
                return count
            }
            if written == -Int(EAGAIN) { return 0 }
            try self.recover(CInt(truncatingIfNeeded: written))
        }
        return 0
    }

    /// Gives the device frames at their volume.
    private func push(_ samples: ArraySlice<Float>, frameCount: Int) -> Int {
        var scaled = Array(samples)
        self.gain.apply(to: &scaled, channelCount: self.samples.channelCount, at: self.frame)
        return self.samples.bytes(of: scaled).withUnsafeBytes {
            weir_alsa_write(self.pcm, $0.baseAddress, UInt(frameCount))
        }
    }

    /// Gets the device going again after it ran dry or was sent to sleep.
    private func recover(_ status: CInt) throws(AudioError) {
        switch -status {
        case EPIPE:
            self.history.clear()
            self.dryCount += 1
            if self.dryCount > Self.mostDry { throw self.failure(-EIO) }
            let again = weir_alsa_prepare(self.pcm)
            if again < 0 { throw self.failure(again) }
        case ESTRPIPE:
            let again = weir_alsa_wake(self.pcm)
            // Still asleep: the caller writes again.
            if again == -EAGAIN { return }
            guard again < 0 else { return }
            let prepared = weir_alsa_prepare(self.pcm)
            if prepared < 0 { throw self.failure(prepared) }
        case EINTR, EAGAIN: return
        default: throw self.failure(status)
        }
    }

    private func failure(_ status: CInt) -> AudioError {
        let words = ALSALibrary.words(status)
        switch -status {
        case ENODEV, ENXIO, EIO, ESHUTDOWN, ECONNRESET, ECONNREFUSED:
            return AudioError(
                .deviceChanged,
                "The sound device \"\(self.name)\" has gone: \(words). Plug it in again, or choose another."
            )
        default:
            return AudioError(
                .failed,
                "Sound could not be given to the device \"\(self.name)\": \(words)."
            )
        }
    }
}
#endif
