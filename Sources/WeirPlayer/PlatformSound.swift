// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The decoders and the sound device of the platform.
///
/// On Linux these are libavcodec and ALSA, each loaded on its first use; on Apple platforms
/// AudioToolbox and AVAudioEngine. On other platforms there is only a decoder of uncompressed
/// sound, and no device.
public enum PlatformSound {
    /// The decoder factories: the platform's, and the one of uncompressed sound.
    public static var decoders: [any AudioDecoderFactory] {
        var factories: [any AudioDecoderFactory] = [PCMDecoderFactory()]
        #if os(Linux)
        factories.append(LibavDecoderFactory())
        #elseif canImport(AudioToolbox) && canImport(AVFAudio)
        factories.append(AudioToolboxDecoderFactory())
        #endif
        return factories
    }

    /// Makes a sink of the default device: ALSA's `default` on Linux, the engine's output on Apple
    /// platforms.
    ///
    /// Use the function to wrap the sink in another sink, or for a player with custom decoders.
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
    /// A player with the platform's decoders and its default device.
    ///
    /// It opens nothing before it plays. If a library or the device is missing, the player stops
    /// with the reason `error`, and the snapshot's failure says what to install.
    ///
    ///     let player = Player(sink: NullSink())  // without a sound device: a server, a test
    ///
    /// - Parameters:
    ///   - sink: the output, if not the default device; only this player uses it.
    ///   - options: the options of the player.
    public convenience init(
        sink: any AudioSink = PlatformSound.sink(),
        options: PlayerOptions = PlayerOptions()
    ) {
        self.init(decoders: PlatformSound.decoders, sink: sink, options: options)
    }
}
