// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The moment at which a buffer is done.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioplayernodecompletioncallbacktype>
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// The node has read the buffer.
    case dataConsumed = 0
    /// The buffer has been mixed.
    case dataRendered = 1
    /// The buffer has been heard.
    case dataPlayedBack = 2
}

/// Called when a buffer is done.
public typealias AVAudioPlayerNodeCompletionHandler =
    @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void

/// Plays buffers, one after the other.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode>
open class AVAudioPlayerNode: AVAudioNode {
    weak var engine: AVAudioEngine?

    /// The time of the last request for sound.
    open override var lastRenderTime: AVAudioTime? { self.device?.lastRenderTime(of: self) }

    /// Whether the node plays.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/isplaying>
    open var isPlaying: Bool { self.device?.isPlaying(self) ?? false }

    /// Plays at once.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/play()>
    open func play() { self.play(at: nil) }

    /// Plays from a time on.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/play(at:)>
    open func play(at when: AVAudioTime?) {
        if !self.stubPlays(at: when) {
            self.device?.violate("A node was told to play while its engine stood still")
        }
    }

    /// Plays; `false` if AVFAudio would raise an exception; not Apple's.
    public func stubPlays(at when: AVAudioTime?) -> Bool {
        self.device?.play(self, at: when?.hostTime) ?? false
    }

    /// Pauses at the present position.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/pause()>
    open func pause() { self.device?.pause(self) }

    /// Stops, and drops the scheduled buffers; the node's time begins again.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/stop()>
    open func stop() { self.device?.stop(self) }

    /// Plays a buffer after the buffers scheduled before.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        self.device?.schedule(buffer, on: self, callbackType, completionHandler)
    }

    /// Converts a time of the node to the time of the played sound; nil while the node does not play.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/playertime(fornodetime:)>
    open func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
        self.device?.playerTime(of: self, nodeTime)
    }
}
