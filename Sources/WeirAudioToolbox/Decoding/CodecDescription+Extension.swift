// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AudioToolbox
#endif

/// Detects HE-AAC in streams that do not declare it.
extension CodecDescription {
    /// Makes a bare packet into an ADTS frame, which can stand alone (ISO 13818-7 §6.2).
    ///
    ///     syncword 12 = 0xFFF, ID 1, layer 2 = 0, protection_absent 1 = 1
    ///     profile 2 = type - 1, frequency index 4, private 1, channels 3, 4 bits without effect
    ///     frame length 13, fullness 11 = 0x7FF, blocks - 1 2
    ///
    /// - Parameters:
    ///   - packet: the packet, without a header.
    ///   - configuration: the AudioSpecificConfig that it belongs to.
    /// - Returns: the frame; `nil` if such a header cannot describe it: a type other than main, LC,
    ///   SSR and LTP, a frequency that is not in the table, or more bytes than 13 bits can count.
    static func adtsFrame(around packet: [UInt8], configuration: [UInt8]) -> [UInt8]? {
        guard configuration.count >= 2 else { return nil }
        let type = configuration[0] >> 3
        let index = (configuration[0] & 7) << 1 | configuration[1] >> 7
        let channels = configuration[1] >> 3 & 0xF
        let length = packet.count + 7
        guard (1...4).contains(type), index < 13, channels < 8, length < 1 << 13 else { return nil }
        return [
            0xFF, 0xF1,
            (type - 1) << 6 | index << 2 | channels >> 2,
            (channels & 3) << 6 | UInt8(length >> 11),
            UInt8(length >> 3 & 0xFF),
            UInt8(length & 7) << 5 | 0x1F,
            0xFC,
        ] + packet
    }
}

#if canImport(AudioToolbox) && canImport(AVFAudio)
extension CodecDescription {
    /// How often a frame is parsed, at most: the parser accepts a header only after several frames.
    private static let attempts = 8

    /// Finds out whether AAC that is declared as LC has the bands, or the stereo image, of HE-AAC.
    ///
    /// Only decoding shows this, and the system's stream parser decodes enough for it. It lists the
    /// formats that a stream can be decoded to, the best first.
    ///
    /// - Parameter frame: a whole ADTS frame of the stream.
    /// - Returns: the same description, or the description of HE-AAC.
    func extended(by frame: [UInt8]) -> CodecDescription {
        var stream: AudioFileStreamID?
        let status = AudioFileStreamOpen(
            nil,
            { _, _, _, _ in },
            { _, _, _, _, _ in },
            kAudioFileAAC_ADTSType,
            &stream
        )
        guard status == noErr, let stream else { return self }
        defer { AudioFileStreamClose(stream) }
        for _ in 0..<Self.attempts {
            let status = AudioFileStreamParseBytes(stream, UInt32(clamping: frame.count), frame, [])
            guard status == noErr else { return self }
            guard Self.isReady(stream) else { continue }
            let formats = Self.formats(stream)
            for item in formats {
                let id = item.mASBD.mFormatID
                guard id == kAudioFormatMPEG4AAC_HE || id == kAudioFormatMPEG4AAC_HE_V2 else {
                    continue
                }
                return self.extended(to: item.mASBD)
            }
            return self
        }
        return self
    }

    private static func isReady(_ stream: AudioFileStreamID) -> Bool {
        var isReady: UInt32 = 0
        var size = UInt32(MemoryLayout<UInt32>.size)
        let status = AudioFileStreamGetProperty(
            stream,
            kAudioFileStreamProperty_ReadyToProducePackets,
            &size,
            &isReady
        )
        return status == noErr && isReady != 0
    }

    private static func formats(_ stream: AudioFileStreamID) -> [AudioFormatListItem] {
        var size: UInt32 = 0
        let stride = MemoryLayout<AudioFormatListItem>.stride
        guard
            AudioFileStreamGetPropertyInfo(
                stream,
                kAudioFileStreamProperty_FormatList,
                &size,
                nil
            ) == noErr, size >= stride, size <= 64 * stride
        else { return [] }
        let count = Int(size) / stride
        return [AudioFormatListItem](unsafeUninitializedCapacity: count) { items, filled in
            guard let base = items.baseAddress else { return }
            var size = UInt32(count * stride)
            let status = AudioFileStreamGetProperty(
                stream,
                kAudioFileStreamProperty_FormatList,
                &size,
                base
            )
            filled = status == noErr ? min(count, Int(size) / stride) : 0
        }
    }

    /// Doubles the rate and the frames; the stereo image turns one channel into two.
    private func extended(to found: AudioStreamBasicDescription) -> CodecDescription {
        var extended = self
        extended.formatID = found.mFormatID
        extended.sampleRate *= 2
        extended.framesPerPacket *= 2
        if found.mFormatID == kAudioFormatMPEG4AAC_HE_V2, extended.channelCount == 1 {
            extended.channelCount = 2
        }
        return extended
    }
}
#endif
