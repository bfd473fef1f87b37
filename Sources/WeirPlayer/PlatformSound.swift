// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The decoders and the sound device of the platform.
///
/// On Linux libavcodec and ALSA, each of which is loaded when it is first used; on Apple platforms AudioToolbox and
/// AVAudioEngine. On other platforms only uncompressed sound is decoded, and it is played nowhere.
public enum PlatformSound {
    /// What makes sound of packets: the platform's decoders and those of uncompressed sound.
    public static var decoders: [any AudioDecoderFactory] {
        var factories: [any AudioDecoderFactory] = [PCMDecoderFactory()]
        #if os(Linux)
        factories.append(LibavDecoderFactory())
        #elseif canImport(AudioToolbox) && canImport(AVFAudio)
        factories.append(AudioToolboxDecoderFactory())
        #endif
        return factories
    }

    /// Makes a sink of the usual device: ALSA's `default` on Linux, the engine's output on Apple platforms.
    ///
    /// For a sink that wraps it, or a player with decoders of one's own.
    public static func sink() -> any AudioSink {
        #if os(Linux)
        ALSASink()
        #elseif canImport(AudioToolbox) && canImport(AVFAudio)
        AudioEngineSink()
        #else
        NullSink()
        #endif
    }
}

extension Player {
    /// A player that decodes with the platform's decoders and sounds through its usual device.
    ///
    /// Nothing is opened before something is played. Where a library or the device is missing, the player stops with
    /// the reason `error`, and the snapshot's failure says what to install.
    ///
    ///     let player = Player(sink: NullSink())  // where there is no sound device: a server, a test
    ///
    /// - Parameters:
    ///   - sink: where the sound goes, if not to the usual device; used by this player alone.
    ///   - options: how it works.
    public convenience init(
        sink: any AudioSink = PlatformSound.sink(),
        options: PlayerOptions = PlayerOptions()
    ) {
        self.init(decoders: PlatformSound.decoders, sink: sink, options: options)
    }
}
