// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the configuration of each codec.
extension MP4SampleEntry {
    /// Reads the descriptors of a stream.
    init(_ stream: MP4Box.ElementaryStream, head: MP4SoundDescription) throws(MP4Error) {
        switch stream.objectType {
        case 0x40, 0x66, 0x67, 0x68:
            guard let config = MP4AudioSpecificConfig(stream.specific) else {
                throw MP4Error(reason: "The configuration of the AAC decoder cannot be read")
            }
            if (32...34).contains(config.objectType) {
                self = Self.mpegAudio(head, layer: config.objectType - 31)
                return
            }
            guard config.objectType != 36 else {
                throw MP4Error(codec: "MPEG-4 ALS")
            }
            self.init(
                codec: .aac(objectType: config.objectType),
                sampleRate: config.sampleRate,
                channelCount: config.channelCount,
                configuration: stream.specific.array,
                samplesPerPacket: config.samplesPerPacket,
                saysDoubleRate: config.sampleRate == 2 * config.coreRate,
                mayDecodeToDoubleRate: !config.saysExtension && config.objectType == 2
                    && config.coreRate <= 24_000
            )
        case 0x69, 0x6B:
            self = Self.mpegAudio(head, layer: 3)
        default:
            let number = String(stream.objectType, radix: 16)
            throw MP4Error(
                codec: Self.objectNames[stream.objectType] ?? "MPEG-4 object type 0x\(number)"
            )
        }
        guard self.sampleRate > 0 else { throw MP4Error(reason: "The track has no sample rate") }
    }

    /// The entry for MPEG audio; only the frames state more.
    static func mpegAudio(_ head: MP4SoundDescription, layer: Int) -> MP4SampleEntry {
        let rate = max(1, head.sampleRate)
        let isHalf = rate < 32_000 && layer == 3
        return MP4SampleEntry(
            codec: .mpegLayer(layer),
            sampleRate: rate,
            channelCount: head.channelCount > 0 ? head.channelCount : nil,
            samplesPerPacket: layer == 1 ? 384 : isHalf ? 576 : 1_152
        )
    }

    /// Reads the magic cookie of Apple Lossless.
    ///
    ///     samples a packet (32), version (8), bits (8), 3 numbers (8 each), channels (8),
    ///     longest run (16), largest packet (32), average rate (32), sample rate (32);
    ///     then maybe a channel layout
    init(cookie: ByteView) throws(MP4Error) {
        guard cookie.count >= 24, cookie[5] > 0, cookie[9] > 0,
            cookie.big(20, UInt32.self) > 0, cookie.big(0, UInt32.self) > 0
        else {
            throw MP4Error(
                reason: "The configuration of the Apple Lossless decoder cannot be read"
            )
        }
        self.init(
            codec: .alac,
            sampleRate: Int(cookie.big(20, UInt32.self)),
            channelCount: Int(cookie[9]),
            bitsPerSample: Int(cookie[5]),
            configuration: cookie.array,
            samplesPerPacket: Int(cookie.big(0, UInt32.self))
        )
    }

    /// Turns a `dOps` into the OpusHead packet (Encapsulation of Opus in ISO Base Media §4.3.2, RFC
    /// 7845 §5.1).
    ///
    ///     dOps      0 (8), channels (8), pre-skip (16), rate (32), gain (16), family (8), mapping;
    ///               big endian
    ///     OpusHead  "OpusHead", 1 (8), and the same, little endian
    init(opus: ByteView) throws(MP4Error) {
        guard opus.count >= 11, opus[0] == 0, opus[1] > 0 else {
            throw MP4Error(reason: "The configuration of the Opus decoder cannot be read")
        }
        let channels = Int(opus[1])
        let mapping = opus[10] == 0 ? 0 : 2 + channels
        guard opus.count >= 11 + mapping else {
            throw MP4Error(reason: "The channel mapping of the Opus decoder is cut short")
        }
        var head = Array("OpusHead".utf8) + [1, opus[1], opus[3], opus[2]]
        head += [opus[7], opus[6], opus[5], opus[4], opus[9], opus[8]]
        head += opus[10..<11 + mapping].array
        self.init(
            codec: .opus,
            sampleRate: 48_000,
            channelCount: channels,
            channelLayout: opus[10] <= 1 && channels <= 8 ? .standard(channels) : nil,
            configuration: head,
            outputGain: Int(opus.big(8, Int16.self)),
            preSkip: Int64(opus.big(2, UInt16.self))
        )
    }

    /// Reads a `dfLa`: version and flags, then metadata blocks as in FLAC, the STREAMINFO first.
    init(blocks: ByteView) throws(MP4Error) {
        guard blocks.count >= 8 + FLACStreamInfo.byteCount, blocks[4] & 0x7F == 0,
            blocks.big24(5) >= UInt32(FLACStreamInfo.byteCount),
            let info = FLACStreamInfo(blocks[8..<8 + FLACStreamInfo.byteCount])
        else { throw MP4Error(reason: "The configuration of the FLAC decoder cannot be read") }
        self.init(
            codec: .flac,
            sampleRate: info.sampleRate,
            channelCount: info.channelCount,
            channelLayout: .standard(info.channelCount),
            bitsPerSample: info.bitsPerSample,
            configuration: info.bytes,
            samplesPerPacket: info.isFixedBlockSize ? info.maximumBlockSize : nil
        )
    }

    /// The entry for uncompressed samples.
    init(_ layout: PCMLayout, head: MP4SoundDescription) throws(MP4Error) {
        guard head.sampleRate > 0, (1...255).contains(head.channelCount) else {
            throw MP4Error(reason: "The uncompressed track has no sample rate or no channels")
        }
        self.init(
            codec: .pcm(layout),
            sampleRate: head.sampleRate,
            channelCount: head.channelCount,
            bitsPerSample: layout.bitsPerSample,
            frameSize: layout.bitsPerSample / 8 * head.channelCount
        )
    }
}
