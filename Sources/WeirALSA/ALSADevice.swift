// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import CWeirALSA
import WeirPlayback

/// An open device: used by one thread at a time, and never waits for longer than it is told.
final class ALSADevice {
    let name: String
    /// What it takes.
    let format: PCMFormat
    let samples: ALSASamples
    /// How many frames its buffer holds.
    let bufferFrames: Int
    private(set) var isPaused = false

    private let pcm: OpaquePointer
    private let canPause: Bool
    private var history: ALSAHistory
    /// The bytes that a pause took back from the device; they are written again before anything else.
    private var replay: ArraySlice<UInt8> = []

    init(
        pcm: OpaquePointer,
        name: String,
        format: PCMFormat,
        samples: ALSASamples,
        bufferFrames: Int,
        canPause: Bool
    ) {
        self.pcm = pcm
        self.name = name
        self.format = format
        self.samples = samples
        self.bufferFrames = bufferFrames
        self.canPause = canPause
        self.history = ALSAHistory(capacity: bufferFrames * samples.frameSize)
    }

    deinit {
        snd_pcm_drop(self.pcm)
        snd_pcm_close(self.pcm)
    }

    /// How many frames it has been given and not played.
    var delayFrames: Int {
        let waiting = self.replay.count / self.samples.frameSize
        return waiting + (self.isPaused && !self.canPause ? 0 : self.deviceFrames)
    }

    private var deviceFrames: Int {
        var frames: snd_pcm_sframes_t = 0
        // A device that ran dry answers with an error: nothing is left to be heard.
        return snd_pcm_delay(self.pcm, &frames) < 0 ? 0 : max(0, Int(frames))
    }

    /// Writes what finds room.
    ///
    /// - Parameter bytes: whole frames.
    /// - Returns: how many bytes were taken; none where there is no room.
    /// - Throws: `AudioError` with `deviceChanged` or `failed`.
    func write(_ bytes: ArraySlice<UInt8>) throws(AudioError) -> Int {
        while !self.replay.isEmpty {
            let count = try self.push(self.replay)
            if count == 0 { return 0 }
            self.replay = self.replay.dropFirst(count)
        }
        return try self.push(bytes)
    }

    /// Writes what was taken back and finds room; whether that was all.
    func writeReplay() throws(AudioError) -> Bool {
        _ = try self.write([])
        return self.replay.isEmpty
    }

    /// Waits until there is room, or the time is over.
    func wait(milliseconds: CInt) throws(AudioError) {
        let status = snd_pcm_wait(self.pcm, milliseconds)
        if status < 0 { try self.recover(status) }
    }

    /// Lets a device play that has been given too little to begin by itself.
    func startIfReady() {
        if snd_pcm_state(self.pcm) == SND_PCM_STATE_PREPARED, self.deviceFrames > 0 {
            snd_pcm_start(self.pcm)
        }
    }

    /// Pauses the device itself where it can be, else takes back what it has not played.
    func pause() {
        guard !self.isPaused else { return }
        self.isPaused = true
        if self.canPause, snd_pcm_state(self.pcm) == SND_PCM_STATE_RUNNING,
            snd_pcm_pause(self.pcm, 1) >= 0
        {
            return
        }
        let unheard = self.deviceFrames
        snd_pcm_drop(self.pcm)
        snd_pcm_prepare(self.pcm)
        self.replay = self.history.takeLast(unheard * self.samples.frameSize) + self.replay
    }

    /// Lets the sound go on.
    func resume() {
        guard self.isPaused else { return }
        self.isPaused = false
        if snd_pcm_state(self.pcm) == SND_PCM_STATE_PAUSED { snd_pcm_pause(self.pcm, 0) }
    }

    /// Drops what was not played.
    func discard() {
        self.replay = []
        self.history.clear()
        snd_pcm_drop(self.pcm)
        snd_pcm_prepare(self.pcm)
    }

    private func push(_ bytes: ArraySlice<UInt8>) throws(AudioError) -> Int {
        let frameSize = self.samples.frameSize
        let frameCount = bytes.count / frameSize
        guard frameCount > 0 else { return 0 }
        // Once more after a recovery, and no more than that: the caller comes again.
        for _ in 0..<2 {
            let written = bytes.withUnsafeBytes {
                snd_pcm_writei(self.pcm, $0.baseAddress, snd_pcm_uframes_t(frameCount))
            }
            if written >= 0 {
                let count = min(Int(written), frameCount) * frameSize
                self.history.append(bytes.prefix(count))
                return count
            }
            if written == -Int(EAGAIN) { return 0 }
            try self.recover(CInt(truncatingIfNeeded: written))
        }
        return 0
    }

    /// Gets the device going again after it ran dry or was sent to sleep.
    private func recover(_ status: CInt) throws(AudioError) {
        switch -status {
        case EPIPE:
            self.history.clear()
            let again = snd_pcm_prepare(self.pcm)
            if again < 0 { throw self.failure(again) }
        case ESTRPIPE:
            let again = snd_pcm_resume(self.pcm)
            // Still asleep: the caller writes again.
            if again == -EAGAIN { return }
            guard again < 0 else { return }
            let prepared = snd_pcm_prepare(self.pcm)
            if prepared < 0 { throw self.failure(prepared) }
        case EINTR, EAGAIN: return
        default: throw self.failure(status)
        }
    }

    private func failure(_ status: CInt) -> AudioError {
        let words = ALSAWords.words(status)
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
