// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import Foundation
import WeirPlayback

/// An open device, used by one thread at a time; no call waits for longer than its caller allows.
final class ALSADevice {
    let name: String
    /// The format of the samples that the device accepts.
    let format: PCMFormat
    private var samples: ALSASamples
    /// How many frames its buffer holds, as the device reports.
    private let ringFrames: Int
    /// How many frames it reads from its buffer at once, at most.
    private let periodFrames: Int
    private let canTakeBack: Bool
    private(set) var isPaused = false

    private let pcm: OpaquePointer
    private let canPause: Bool
    private var history: ALSAHistory
    /// The samples that were taken back from the device; they are written again before anything
    /// else.
    private var replay: ArraySlice<Float> = []
    /// The number of the next frame that the device gets.
    private var frame: Int64 = 0
    private var gain: GainCurve
    /// How often the device was dry since it last took samples.
    private var dryCount = 0
    /// After so many dry states without taking samples, the server behind the plug-in counts as
    /// gone.
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
        // Plug-ins that only pass frames on may have buffers of any size.
        let kept = min(ringFrames, format.sampleRate * 2)
        self.history = ALSAHistory(capacity: kept * samples.channelCount)
    }

    deinit {
        weir_alsa_close(self.pcm)
    }

    /// The number of frames written and not played; `nil` when the device ran dry and no samples
    /// wait to be written again.
    var delayFrames: Int? {
        let waiting = self.replay.count / self.samples.channelCount
        if self.isPaused, !self.canPause { return waiting }
        guard let frames = self.deviceFrames else { return waiting > 0 ? waiting : nil }
        return waiting + frames
    }

    /// The number of frames that the device itself still has to play; `nil` when it ran dry.
    ///
    /// A plug-in may report an old delay, which goes up and down even when the device has nothing
    /// left. The room that it reports is correct: when it has room for the whole buffer, it is dry.
    private var deviceFrames: Int? {
        if weir_alsa_state_of(self.pcm) == WEIR_ALSA_DRY { return nil }
        let room = weir_alsa_room(self.pcm)
        guard room >= 0 else { return room == -Int(EPIPE) ? nil : 0 }
        let waiting = self.ringFrames - room
        return waiting > 0 ? max(waiting, weir_alsa_delay(self.pcm)) : nil
    }

    /// Writes as many samples as the device has room for.
    ///
    /// - Parameter samples: whole frames, before the gain.
    /// - Returns: the number of samples that the device took; 0 when it has no room.
    /// - Throws: `AudioError` with `deviceChanged` or `failed`.
    func write(_ samples: ArraySlice<Float>) throws(AudioError) -> Int {
        while !self.replay.isEmpty {
            let count = try self.push(self.replay)
            if count == 0 { return 0 }
            self.replay = self.replay.dropFirst(count)
        }
        return try self.push(samples)
    }

    /// Writes the samples that were taken back, as far as there is room; returns whether that was
    /// all of them.
    func writeReplay() throws(AudioError) -> Bool {
        _ = try self.write([])
        return self.replay.isEmpty
    }

    /// Waits until the device has room, or until the time is over.
    ///
    /// While the computer and the device sleep, ALSA's wait returns at once; with some plug-ins it
    /// returns too early. The caller tries again and again, so this function still waits a moment.
    func wait(milliseconds: CInt) throws(AudioError) {
        let start = ContinuousClock.now
        let status = weir_alsa_wait(self.pcm, milliseconds)
        if status < 0 { try self.recover(status) }
        if start.duration(to: .now) < .milliseconds(1) { usleep(5000) }
    }

    /// Starts a device that has too few frames to start on its own.
    func startIfReady() {
        if weir_alsa_state_of(self.pcm) == WEIR_ALSA_PREPARED, self.deviceFrames ?? 0 > 0 {
            weir_alsa_start(self.pcm)
        }
    }

    /// Pauses the device itself if it can pause; otherwise takes back the frames that it has not
    /// played.
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

    /// Continues the sound.
    func resume() {
        guard self.isPaused else { return }
        self.isPaused = false
        if weir_alsa_state_of(self.pcm) == WEIR_ALSA_PAUSED { weir_alsa_pause(self.pcm, 0) }
    }

    /// The gain of the sample that is heard now, `delayFrames` before the next frame.
    func gain(behind delayFrames: Int?) -> Float {
        self.gain.value(at: self.frame - Int64(delayFrames ?? 0))
    }

    /// Changes the gain of the frames that the device has not begun to read, or of the next frames.
    ///
    /// The function takes back as many frames as possible and writes them again, at once or after a
    /// pause. The device keeps as many frames as it reads at once, and 20 ms more. So it never runs
    /// dry during the change, and no sample is lost.
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

    /// Marks the last written frames to be written again.
    private func replayLast(_ frameCount: Int) {
        let samples = self.history.takeLast(frameCount * self.samples.channelCount)
        self.frame -= Int64(samples.count / self.samples.channelCount)
        self.replay = samples + self.replay
    }

    /// Drops the frames that were not played.
    func discard() {
        self.replay = []
        self.history.clear()
        weir_alsa_drop(self.pcm)
        weir_alsa_prepare(self.pcm)
    }

    private func push(_ samples: ArraySlice<Float>) throws(AudioError) -> Int {
        let channelCount = self.samples.channelCount
        // At most one retry after a recovery; the caller calls again.
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

    /// Writes frames to the device with their gain applied.
    private func push(_ samples: ArraySlice<Float>, frameCount: Int) -> Int {
        var scaled = Array(samples)
        self.gain.apply(to: &scaled, channelCount: self.samples.channelCount, at: self.frame)
        return self.samples.bytes(of: scaled).withUnsafeBytes {
            weir_alsa_write(self.pcm, $0.baseAddress, UInt(frameCount))
        }
    }

    /// Restarts the device after it ran dry or slept.
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
            // The device still sleeps: the caller writes again.
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
                "The sound device \"\(self.name)\" was disconnected: \(words). Plug it in again, or choose another."
            )
        default:
            return AudioError(
                .failed,
                "Could not write sound to the device \"\(self.name)\": \(words)."
            )
        }
    }
}
#endif
