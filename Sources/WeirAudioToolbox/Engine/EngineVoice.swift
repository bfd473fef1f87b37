// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AVFAudio
import AudioToolbox
import CWeirExceptions
import Synchronization
import WeirPlayback

/// A node of an audio engine that plays the sound of one format.
// Unchecked: everything but ``played(epoch:)`` is used on the sink's queue alone; that one reads the node's clock, which
// AVFAudio lets be read while the node plays, and keeps what it read under a lock.
final class EngineVoice: @unchecked Sendable {
    let node = AVAudioPlayerNode()
    let pcm: PCMFormat
    let format: AVAudioFormat
    /// Frames handed over since the node's clock was set to zero.
    private(set) var scheduled: Int64 = 0
    /// Whether the node plays, or knows when it will.
    private(set) var isPlaying = false
    /// The voice that it is to follow, while the end of that one is unknown.
    var predecessor: Int?
    /// When it was told to begin; `nil` if at once.
    private var beginning: UInt64?
    private let clock = Mutex<(epoch: Int, played: Int64)>((0, 0))

    /// A voice; there is none for a format that AVFAudio cannot mix.
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

    /// Hands frames to the node.
    ///
    /// - Parameters:
    ///   - samples: whole frames, interleaved.
    ///   - isMark: whether to wait until they have been heard, and not only mixed.
    ///   - finished: is called once, on a thread of AVFAudio's, also when the node is stopped.
    /// - Returns: whether there was memory for them.
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

    /// Begins, now or at a moment of the host's clock.
    ///
    /// - Returns: whether it does; not if the engine has stopped itself meanwhile, which raises an exception that Swift
    ///   cannot catch, so it is caught in `CWeirExceptions`.
    func play(at hostTime: UInt64?) -> Bool {
        guard !self.isPlaying else { return true }
        let time = hostTime.map { AVAudioTime(hostTime: $0) }
        // Both live until the call has returned: the voice keeps the node, and the time is kept below.
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

    /// Stands still where it is.
    func pause() {
        self.read()
        self.node.pause()
        self.isPlaying = false
        self.predecessor = nil
        self.beginning = nil
    }

    /// Drops what it was given, and sets its clock to zero.
    func stop() {
        self.node.stop()
        self.scheduled = 0
        self.isPlaying = false
        self.predecessor = nil
        self.beginning = nil
        self.clock.withLock { $0 = ($0.epoch + 1, 0) }
    }

    /// When, on the host's clock, its last frame will have been mixed; `nil` while that is unknown.
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

    /// How many frames have been mixed since the node's clock was set to zero for the given time.
    ///
    /// - Parameter epoch: how often it was, as the schedule knows.
    /// - Returns: 0 while the node has yet to be set to zero.
    func played(epoch: Int) -> Int64 {
        self.read()
        return self.clock.withLock { $0.epoch == epoch ? $0.played : 0 }
    }

    /// Reads the node's clock, which has no time while the node stands still.
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
