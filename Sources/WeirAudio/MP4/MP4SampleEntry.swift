// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a track's sample description says of its audio (ISO 14496-12 §12.2.3, QuickTime File Format: Sound Media).
///
///     offset  0   reserved (48), data reference (16)
///             8   version (16), revision (16), vendor (32)       QuickTime; 0 in ISO files
///            16   channels (16), bits of a sample (16)
///            20   compression (16), packet size (16)
///            24   sample rate (16.16)
///            28   version 1: samples a packet, bytes a packet, bytes a frame, bytes a sample (32 each)
///                 version 2: size (32), rate (64, float), channels (32), 0x7F000000, bits (32), flags (32),
///                            bytes a packet (32), samples a packet (32)
///                 then boxes
struct MP4SampleEntry: Sendable {
    /// How samples are coded.
    var codec: AudioCodec
    /// Samples a second of what comes out.
    var sampleRate: Int
    /// How many channels come out; `nil` where only decoding can tell.
    var channelCount: Int?
    /// How many bits of a sample count, where nothing is lost.
    var bitsPerSample: Int?
    /// See ``AudioFormat/configuration``.
    var configuration: [UInt8] = []
    /// How many samples every packet decodes to, where that is fixed.
    var samplesPerPacket: Int?
    /// Whether there may be SBR that the description does not mention.
    var mayDecodeToDoubleRate = false
    /// See ``AudioFormat/outputGain``.
    var outputGain = 0
    /// Samples that an Opus header says are to be dropped.
    var preSkip: Int64 = 0
    /// How many bytes a sample has in all channels, uncompressed.
    var frameSize: Int?
}

extension MP4SampleEntry {
    /// Reads a sample description.
    ///
    /// - Parameters:
    ///   - box: the entry of the `stsd`.
    ///   - isQuickTime: whether a version in it means what QuickTime means by it.
    /// - Throws: ``MP4Refusal`` if it is nothing that is known here.
    init(_ box: MP4Box, isQuickTime: Bool) throws(MP4Refusal) {
        let head = try MP4SoundDescription(box, isQuickTime: isQuickTime)
        switch box.type {
        case "enca": throw MP4Refusal(reason: "The audio is encrypted")
        case "mp4a":
            guard let stream = head.elementaryStream else {
                throw MP4Refusal(reason: "The AAC track has no decoder configuration (esds)")
            }
            try self.init(stream, head: head)
        case ".mp3", FourCC(0x6D73_0055), "mp3 ":
            self = Self.mpegAudio(head, layer: 3)
        case "alac":
            guard let cookie = head.lossless else {
                throw MP4Refusal(reason: "The Apple Lossless track has no decoder configuration")
            }
            try self.init(cookie: cookie)
        case "Opus":
            guard let header = head.opus else {
                throw MP4Refusal(reason: "The Opus track has no decoder configuration (dOps)")
            }
            try self.init(opus: header)
        case "fLaC":
            guard let blocks = head.flac else {
                throw MP4Refusal(reason: "The FLAC track has no decoder configuration (dfLa)")
            }
            try self.init(blocks: blocks)
        default:
            guard let layout = head.layout(of: box.type) else {
                throw MP4Refusal(
                    reason: "The audio is coded as '\(box.type.text)', which is not supported"
                )
            }
            try self.init(layout, head: head)
        }
    }
}

/// Why a track cannot be played.
struct MP4Refusal: Error {
    /// A sentence without its full stop.
    var reason: String
}
