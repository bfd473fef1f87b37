// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirALSA
import Foundation
import WeirPlayback

extension ALSADevice {
    /// Opens a device for the nearest format that it accepts.
    ///
    /// Weir asks ALSA not to convert rates and channels: Weir converts better, and must know the
    /// device's real format.
    ///
    /// - Parameters:
    ///   - name: the device's name in ALSA.
    ///   - format: the format of the sound to play.
    ///   - gain: the gain of the first samples.
    /// - Returns: the device, ready to play.
    /// - Throws: `AudioError` with `unavailable` or `badFormat`.
    static func open(_ name: String, for format: PCMFormat, gain: Float) throws(AudioError)
        -> ALSADevice
    {
        if let problem = ALSALibrary.problem { throw problem }
        ALSALibrary.listen()
        var opened: OpaquePointer?
        let status = weir_alsa_open(&opened, name)
        guard status >= 0, let pcm = opened else {
            throw AudioError(
                .unavailable,
                "The sound device \"\(name)\" could not be opened: \(ALSALibrary.words(status)). `aplay -L` lists the "
                    + "devices; without a device, use the null sink (weir play --sink null)."
            )
        }
        do throws(AudioError) {
            let setup = try Self.agree(pcm, name, format)
            let agreed = ALSALayout.agreed(
                format,
                sampleRate: Int(setup.sample_rate),
                channelCount: Int(setup.channel_count)
            )
            // Messages from plug-ins during the opening do not help with later errors.
            ALSALibrary.listen()
            return ALSADevice(
                pcm: pcm,
                name: name,
                format: agreed,
                samples: ALSASamples(setup.sample, channelCount: agreed.channelCount),
                ringFrames: Int(clamping: setup.buffer_frames),
                periodFrames: Int(clamping: setup.period_frames),
                canPause: setup.can_pause != 0,
                canTakeBack: setup.can_take_back != 0,
                gain: gain
            )
        } catch {
            weir_alsa_close(pcm)
            throw error
        }
    }

    /// Sets up the device with the supported format that is nearest to the given one.
    private static func agree(
        _ pcm: OpaquePointer,
        _ name: String,
        _ format: PCMFormat
    ) throws(AudioError) -> weir_alsa_setup {
        var setup = weir_alsa_setup()
        withUnsafeMutableBytes(of: &setup.channel_counts) { bytes in
            let counts = bytes.bindMemory(to: UInt32.self)
            for (index, count) in zip(counts.indices, ALSALayout.candidates(for: format)) {
                counts[index] = UInt32(clamping: count)
            }
        }
        setup.sample_rate = UInt32(clamping: max(format.sampleRate, 1))
        let status = weir_alsa_set_up(pcm, &setup)
        if status >= 0 { return setup }
        if status == WEIR_ALSA_NO_SAMPLE {
            throw AudioError(
                .badFormat,
                "The sound device \"\(name)\" does not support 16, 24 or 32 bits. Choose another, such as"
                    + " \"plug:\(name)\"."
            )
        }
        // A sound server that stops during the setup has not refused the format.
        if status != -EINVAL {
            throw AudioError(
                .unavailable,
                "The sound device \"\(name)\" could not be set up: \(ALSALibrary.words(status)). Choose another device."
            )
        }
        throw AudioError(
            .badFormat,
            "The sound device \"\(name)\" does not support \(format.channelCount) channels at \(format.sampleRate) Hz: "
                + "\(ALSALibrary.words(status)). Choose another device."
        )
    }
}
#endif
