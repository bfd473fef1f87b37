// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// When a buffer counts as done with.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioplayernodecompletioncallbacktype>
public enum AVAudioPlayerNodeCompletionCallbackType: Int, Sendable {
    /// When the node has read it.
    case dataConsumed = 0
    /// When it has been mixed.
    case dataRendered = 1
    /// When it has been heard.
    case dataPlayedBack = 2
}

/// Is told when a buffer is done with.
public typealias AVAudioPlayerNodeCompletionHandler =
    @Sendable (AVAudioPlayerNodeCompletionCallbackType) -> Void

/// Plays buffers, one after the other.
///
/// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode>
open class AVAudioPlayerNode: AVAudioNode {
    weak var engine: AVAudioEngine?

    /// When the node was asked for sound last.
    open override var lastRenderTime: AVAudioTime? { self.device?.lastRenderTime(of: self) }

    /// Whether it plays.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/isplaying>
    open var isPlaying: Bool { self.device?.isPlaying(self) ?? false }

    /// Plays, now.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/play()>
    open func play() { self.play(at: nil) }

    /// Plays, from a moment on.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/play(at:)>
    open func play(at when: AVAudioTime?) {
        if !self.stubPlays(at: when) {
            self.device?.violate("A node was told to play while its engine stood still")
        }
    }

    /// Plays; `false` where AVFAudio would raise an exception; not Apple's.
    public func stubPlays(at when: AVAudioTime?) -> Bool {
        self.device?.play(self, at: when?.hostTime) ?? false
    }

    /// Stands still where it is.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/pause()>
    open func pause() { self.device?.pause(self) }

    /// Stops, and drops what it was to play; its time begins anew.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/stop()>
    open func stop() { self.device?.stop(self) }

    /// Plays a buffer behind those that it has.
    open func scheduleBuffer(
        _ buffer: AVAudioPCMBuffer,
        completionCallbackType callbackType: AVAudioPlayerNodeCompletionCallbackType,
        completionHandler: AVAudioPlayerNodeCompletionHandler? = nil
    ) {
        self.device?.schedule(buffer, on: self, callbackType, completionHandler)
    }

    /// A moment of the node's clock, on that of the sound it plays; nil while it does not play.
    ///
    /// <https://developer.apple.com/documentation/avfaudio/avaudioplayernode/playertime(fornodetime:)>
    open func playerTime(forNodeTime nodeTime: AVAudioTime) -> AVAudioTime? {
        self.device?.playerTime(of: self, nodeTime)
    }
}
