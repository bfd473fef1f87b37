// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AVFAudio
import AudioToolbox
import CWeirExceptions
import Synchronization
import WeirPlayback

/// A node of an audio engine that plays the audio of one format.
// Unchecked: everything except ``played(epoch:)`` is used only on the sink's queue. That method reads the node's
// clock, which AVFAudio allows while the node plays, and stores the result under a lock.
final class EngineVoice: @unchecked Sendable {
    let node = AVAudioPlayerNode()
    let pcm: PCMFormat
    let format: AVAudioFormat
    /// Frames given to the node since its clock was set to zero.
    private(set) var scheduled: Int64 = 0
    /// Whether the node plays, or has a start time.
    private(set) var isPlaying = false
    /// The voice that it follows, while the end of that voice is unknown.
    var predecessor: Int?
    /// The start time that it was given; `nil` if it started at once.
    private var beginning: UInt64?
    private let clock = Mutex<(epoch: Int, played: Int64)>((0, 0))

    /// Makes a voice; `nil` for a format that AVFAudio cannot mix.
    init?(_ pcm: PCMFormat) {
        guard let format = Self.format(pcm) else { return nil }
        self.pcm = pcm
        self.format = format
    }

    private static func format(_ pcm: PCMFormat) -> AVAudioFormat? {
        guard (1...1_000_000).contains(pcm.sampleRate) else { return nil }
        let rate = Double(pcm.sampleRate)
        let tag: AudioChannelLayoutTag
        switch pcm.channelCount {
        case 1, 2:
            return AVAudioFormat(
                standardFormatWithSampleRate: rate,
                channels: AVAudioChannelCount(pcm.channelCount)
            )
        case 3: tag = kAudioChannelLayoutTag_WAVE_3_0
        case 4: tag = kAudioChannelLayoutTag_WAVE_4_0_B
        case 5: tag = kAudioChannelLayoutTag_WAVE_5_0_A
        case 6: tag = kAudioChannelLayoutTag_WAVE_5_1_A
        case 7: tag = kAudioChannelLayoutTag_WAVE_6_1
        case 8: tag = kAudioChannelLayoutTag_WAVE_7_1
        default: return nil
        }
        guard let layout = AVAudioChannelLayout(layoutTag: tag) else { return nil }
        return AVAudioFormat(standardFormatWithSampleRate: rate, channelLayout: layout)
    }

    /// Gives frames to the node.
    ///
    /// - Parameters:
    ///   - samples: whole frames, interleaved.
    ///   - isMark: whether `finished` is called when they have been heard; otherwise when they have been mixed.
    ///   - finished: called once, on a thread of AVFAudio, also when the node is stopped.
    /// - Returns: whether there was enough memory.
    func schedule(
        _ samples: [Float],
        isMark: Bool,
        finished: @escaping @Sendable () -> Void
    ) -> Bool {
        let channels = self.pcm.channelCount
        let frames = samples.count / channels
        guard
            let buffer = AVAudioPCMBuffer(
                pcmFormat: self.format,
                frameCapacity: AVAudioFrameCount(frames)
            ), let planes = buffer.floatChannelData
        else { return false }
        buffer.frameLength = AVAudioFrameCount(frames)
        for channel in 0..<channels {
            let plane = planes[channel]
            for frame in 0..<frames { plane[frame] = samples[frame * channels + channel] }
        }
        self.scheduled += Int64(frames)
        self.node.scheduleBuffer(
            buffer,
            completionCallbackType: isMark ? .dataPlayedBack : .dataRendered
        ) { _ in finished() }
        return true
    }

    /// Starts the node, now or at a time of the host's clock.
    ///
    /// - Returns: whether it started. If the engine has stopped itself meanwhile, AVFAudio raises an exception.
    ///   Swift cannot catch it, so `CWeirExceptions` does.
    func play(at hostTime: UInt64?) -> Bool {
        guard !self.isPlaying else { return true }
        let time = hostTime.map { AVAudioTime(hostTime: $0) }
        // Both live until the call returns: the voice keeps the node, and the next line keeps the time.
        let plays = weir_play_node(
            Unmanaged.passUnretained(self.node).toOpaque(),
            time.map { Unmanaged.passUnretained($0).toOpaque() }
        )
        withExtendedLifetime(time) {}
        guard plays else { return false }
        self.isPlaying = true
        self.predecessor = nil
        self.beginning = hostTime
        return true
    }

    /// Pauses the node.
    func pause() {
        self.read()
        self.node.pause()
        self.isPlaying = false
        self.predecessor = nil
        self.beginning = nil
    }

    /// Drops the node's buffers, and sets its clock to zero.
    func stop() {
        self.node.stop()
        self.scheduled = 0
        self.isPlaying = false
        self.predecessor = nil
        self.beginning = nil
        self.clock.withLock { $0 = ($0.epoch + 1, 0) }
    }

    /// The host time when its last frame will have been mixed; `nil` while that is unknown.
    var end: UInt64? {
        guard self.isPlaying else { return nil }
        if let time = self.node.lastRenderTime, time.isHostTimeValid,
            let player = self.node.playerTime(forNodeTime: time), player.isSampleTimeValid,
            player.sampleTime >= 0
        {
            let left = self.scheduled - player.sampleTime
            return time.hostTime + self.hostTime(ofFrames: max(0, left))
        }
        return self.beginning.map { $0 + self.hostTime(ofFrames: self.scheduled) }
    }

    private func hostTime(ofFrames frames: Int64) -> UInt64 {
        AVAudioTime.hostTime(forSeconds: Double(frames) / Double(self.pcm.sampleRate))
    }

    /// How many frames have been mixed since the node's clock was set to zero for the given epoch.
    ///
    /// - Parameter epoch: how many times the clock was set to zero, according to the schedule.
    /// - Returns: 0 while the node's epoch differs.
    func played(epoch: Int) -> Int64 {
        self.read()
        return self.clock.withLock { $0.epoch == epoch ? $0.played : 0 }
    }

    /// Reads the node's clock, which has no time while the node is stopped.
    private func read() {
        let epoch = self.clock.withLock { $0.epoch }
        guard let time = self.node.lastRenderTime,
            let player = self.node.playerTime(forNodeTime: time), player.isSampleTimeValid
        else { return }
        self.clock.withLock { clock in
            guard clock.epoch == epoch else { return }
            clock.played = max(clock.played, player.sampleTime)
        }
    }
}
#endif
