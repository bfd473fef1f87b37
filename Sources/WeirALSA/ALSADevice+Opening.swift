// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import CWeirALSA
import WeirPlayback

extension ALSADevice {
    /// Opens a device for the nearest format that it takes.
    ///
    /// ALSA is told not to convert rates and channels itself: Weir does it better, and knows that it is done.
    ///
    /// - Parameters:
    ///   - name: as ALSA knows it.
    ///   - format: what is to be played.
    /// - Returns: the device, ready.
    /// - Throws: `AudioError` with `unavailable` or `badFormat`.
    static func open(_ name: String, for format: PCMFormat) throws(AudioError) -> ALSADevice {
        ALSAWords.listen()
        var opened: OpaquePointer?
        let mode = SND_PCM_NONBLOCK | SND_PCM_NO_AUTO_RESAMPLE | SND_PCM_NO_AUTO_CHANNELS
        let status = snd_pcm_open(&opened, name, SND_PCM_STREAM_PLAYBACK, CInt(mode))
        guard status >= 0, let pcm = opened else {
            throw AudioError(
                .unavailable,
                "The sound device \"\(name)\" could not be opened: \(ALSAWords.words(status)). "
                    + "`aplay -L` lists the devices there are; `--sink null` plays without one."
            )
        }
        do throws(AudioError) {
            let setup = try Self.agree(pcm, name, format)
            let agreed = PCMFormat(
                sampleRate: setup.sampleRate,
                channelCount: setup.samples.channelCount,
                significantBits: format.significantBits
            )
            // Messages of plug-ins on the way are of no use for later errors.
            ALSAWords.listen()
            return ALSADevice(
                pcm: pcm,
                name: name,
                format: agreed,
                samples: setup.samples,
                bufferFrames: setup.bufferFrames,
                canPause: setup.canPause
            )
        } catch {
            snd_pcm_close(pcm)
            throw error
        }
    }

    /// Sets the device up as near to a format as it can be.
    private static func agree(
        _ pcm: OpaquePointer,
        _ name: String,
        _ format: PCMFormat
    ) throws(AudioError) -> (
        samples: ALSASamples, sampleRate: Int, bufferFrames: Int, canPause: Bool
    ) {
        var allocated: OpaquePointer?
        guard snd_pcm_hw_params_malloc(&allocated) >= 0, let params = allocated else {
            throw AudioError(.unavailable, "There is no memory for a sound device.")
        }
        defer { snd_pcm_hw_params_free(params) }
        func check(_ status: CInt) throws(AudioError) {
            guard status < 0 else { return }
            throw AudioError(
                .badFormat,
                "The sound device \"\(name)\" takes no sound of \(format.channelCount) channels at "
                    + "\(format.sampleRate) Hz: \(ALSAWords.words(status)). Choose another device."
            )
        }
        try check(snd_pcm_hw_params_any(pcm, params))
        try check(snd_pcm_hw_params_set_access(pcm, params, SND_PCM_ACCESS_RW_INTERLEAVED))
        let kind = ALSASamples.kinds.first {
            snd_pcm_hw_params_set_format(pcm, params, $0.kind) >= 0
        }
        guard let kind else {
            throw AudioError(
                .badFormat,
                "The sound device \"\(name)\" takes neither 16 nor 32 bits. Choose another, such as \"plug:\(name)\"."
            )
        }
        var channelCount = CUnsignedInt(clamping: max(format.channelCount, 1))
        try check(snd_pcm_hw_params_set_channels_near(pcm, params, &channelCount))
        var rate = CUnsignedInt(clamping: max(format.sampleRate, 1))
        try check(snd_pcm_hw_params_set_rate_near(pcm, params, &rate, nil))
        // Half a second, in pieces of a tenth: a busy machine may be late, and a pause is heard at once all the same.
        var time: CUnsignedInt = 500_000
        try check(snd_pcm_hw_params_set_buffer_time_near(pcm, params, &time, nil))
        var period: CUnsignedInt = 100_000
        try check(snd_pcm_hw_params_set_period_time_near(pcm, params, &period, nil))
        try check(snd_pcm_hw_params(pcm, params))
        var bufferFrames: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_buffer_size(params, &bufferFrames))
        var periodFrames: snd_pcm_uframes_t = 0
        try check(snd_pcm_hw_params_get_period_size(params, &periodFrames, nil))
        try check(Self.setStart(pcm, min(periodFrames, bufferFrames)))
        return (
            samples: ALSASamples(integers: kind.integers, channelCount: Int(channelCount)),
            sampleRate: Int(rate),
            // Plug-ins that only pass on may have buffers of any size.
            bufferFrames: Int(min(bufferFrames, snd_pcm_uframes_t(rate) * 2)),
            canPause: snd_pcm_hw_params_can_pause(params) == 1
        )
    }

    /// Makes the device begin as soon as it has been given a piece.
    private static func setStart(_ pcm: OpaquePointer, _ frames: snd_pcm_uframes_t) -> CInt {
        var allocated: OpaquePointer?
        let status = snd_pcm_sw_params_malloc(&allocated)
        guard status >= 0, let params = allocated else { return status }
        defer { snd_pcm_sw_params_free(params) }
        for status in [
            snd_pcm_sw_params_current(pcm, params),
            snd_pcm_sw_params_set_start_threshold(pcm, params, frames),
            snd_pcm_sw_params_set_avail_min(pcm, params, frames),
            snd_pcm_sw_params(pcm, params),
        ] where status < 0 {
            return status
        }
        return 0
    }
}
#endif
