// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AudioToolbox

/// Finds out whether AAC that calls itself LC has more in it: the bands, or the stereo image, of HE-AAC.
///
/// Only decoding can tell, and the system's stream parser does as much of it: it lists what a stream can be decoded as,
/// the best first.
enum ImplicitExtension {
    /// How often a frame is given before it is taken for what it says: a parser wants to see several.
    private static let attempts = 8

    /// What a frame can be decoded as.
    ///
    /// - Parameters:
    ///   - frame: a whole ADTS frame.
    ///   - description: what its header says.
    /// - Returns: the same, or HE-AAC's.
    static func find(in frame: [UInt8], _ description: CodecDescription) -> CodecDescription {
        var stream: AudioFileStreamID?
        let status = AudioFileStreamOpen(
            nil,
            { _, _, _, _ in },
            { _, _, _, _, _ in },
            kAudioFileAAC_ADTSType,
            &stream
        )
        guard status == noErr, let stream else { return description }
        defer { AudioFileStreamClose(stream) }
        for _ in 0..<self.attempts {
            let status = AudioFileStreamParseBytes(stream, UInt32(clamping: frame.count), frame, [])
            guard status == noErr else { return description }
            guard self.isReady(stream) else { continue }
            let formats = self.formats(stream)
            for item in formats {
                let id = item.mASBD.mFormatID
                guard id == kAudioFormatMPEG4AAC_HE || id == kAudioFormatMPEG4AAC_HE_V2 else {
                    continue
                }
                return self.extended(description, item.mASBD)
            }
            return description
        }
        return description
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

    /// Twice the rate and the frames; the stereo image makes two channels of one.
    private static func extended(
        _ description: CodecDescription,
        _ found: AudioStreamBasicDescription
    ) -> CodecDescription {
        var extended = description
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
