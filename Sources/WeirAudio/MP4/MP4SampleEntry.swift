// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The audio facts in a track's sample description (ISO 14496-12 §12.2.3, QuickTime File Format:
/// Sound Media).
///
///     offset  0   reserved (48), data reference (16)
///             8   version (16), revision (16), vendor (32)       QuickTime; 0 in ISO files
///            16   channels (16), bits of a sample (16)
///            20   compression (16), packet size (16)
///            24   sample rate (16.16)
///            28   version 1: samples a packet, bytes a packet, bytes a frame,
///                            bytes a sample (32 each)
///                 version 2: size (32), rate (64, float), channels (32), 0x7F000000, bits (32),
///                            flags (32), bytes a packet (32), samples a packet (32)
///                 then boxes
struct MP4SampleEntry: Sendable {
    /// How samples are coded.
    var codec: AudioCodec
    /// Samples a second of the output.
    var sampleRate: Int
    /// How many channels the output has; `nil` if only a decoder can find out.
    var channelCount: Int?
    /// See ``AudioFormat/channelLayout``.
    var channelLayout: ChannelLayout?
    /// How many bits of a sample are used, for codecs without loss.
    var bitsPerSample: Int?
    /// See ``AudioFormat/configuration``.
    var configuration: [UInt8] = []
    /// How many samples every packet decodes to, if the number is fixed.
    var samplesPerPacket: Int?
    /// Whether the description states SBR, which doubles the rate of the core.
    var saysDoubleRate = false
    /// Whether there may be SBR that the description does not mention.
    var mayDecodeToDoubleRate = false
    /// See ``AudioFormat/outputGain``.
    var outputGain = 0
    /// How many samples an Opus header says to drop.
    var preSkip: Int64 = 0
    /// How many bytes an uncompressed sample has in all channels; `nil` for coded audio.
    var frameSize: Int?
}

extension MP4SampleEntry {
    /// Reads a sample description.
    ///
    /// - Parameters:
    ///   - box: the entry of the `stsd`.
    ///   - isQuickTime: whether the version number has QuickTime's meaning.
    /// - Throws: ``MP4Error`` if Weir does not support the codec, or its configuration is missing
    ///   or damaged.
    init(_ box: MP4Box, isQuickTime: Bool) throws(MP4Error) {
        let head = try MP4SoundDescription(box, isQuickTime: isQuickTime)
        switch box.type {
        case "enca":
            throw MP4Error(
                reason: "The audio is encrypted (DRM); only players that have its key can play it"
            )
        case "drms":
            throw MP4Error(
                reason:
                    "The audio is protected by Apple's FairPlay; only Apple's players, signed in as its buyer, can play it"
            )
        case "mp4a":
            guard let stream = head.elementaryStream else {
                throw MP4Error(reason: "The AAC track has no decoder configuration (esds)")
            }
            try self.init(stream, head: head)
        case ".mp3", FourCC(0x6D73_0055), "mp3 ":
            self = Self.mpegAudio(head, layer: 3)
        case "alac":
            guard let cookie = head.lossless else {
                throw MP4Error(reason: "The Apple Lossless track has no decoder configuration")
            }
            try self.init(cookie: cookie)
        case "Opus":
            guard let header = head.opus else {
                throw MP4Error(reason: "The Opus track has no decoder configuration (dOps)")
            }
            try self.init(opus: header)
        case "fLaC":
            guard let blocks = head.flac else {
                throw MP4Error(reason: "The FLAC track has no decoder configuration (dfLa)")
            }
            try self.init(blocks: blocks)
        default:
            guard let layout = head.layout(of: box.type) else {
                throw MP4Error(codec: Self.names[box.type] ?? "'\(box.type.text)'")
            }
            try self.init(layout, head: head)
        }
    }
}

extension MP4SampleEntry {
    /// The codecs that Weir does not read, by the letters of their sample descriptions.
    private static let names: [FourCC: String] = [
        "ac-3": "AC-3", "sac3": "AC-3", "ec-3": "E-AC-3", "ac-4": "AC-4", "mlpa": "Dolby TrueHD",
        "dtsc": "DTS", "dtse": "DTS", "dtsh": "DTS-HD", "dtsl": "DTS-HD", "dtsx": "DTS:X",
        "samr": "AMR", "sawb": "AMR-WB", "sawp": "AMR-WB+", "sevc": "EVRC", "sqcp": "QCELP",
        "Qclp": "QCELP", "ima4": "IMA ADPCM", "agsm": "GSM 6.10", "QDM2": "QDesign Music",
        "QDMC": "QDesign Music", "MAC3": "MACE", "MAC6": "MACE", "mha1": "MPEG-H 3D Audio",
        "mhm1": "MPEG-H 3D Audio", "mha2": "MPEG-H 3D Audio", "mhm2": "MPEG-H 3D Audio",
        "owma": "Windows Media Audio", "OWMA": "Windows Media Audio", "spex": "Speex",
        FourCC(0x6D73_0002): "Microsoft ADPCM", FourCC(0x6D73_0011): "IMA ADPCM",
        FourCC(0x6D73_0031): "GSM 6.10", FourCC(0x6D73_0050): "MP2",
    ]

    /// More codecs that Weir does not read, by the object types of MPEG-4 (mp4ra.org).
    static let objectNames: [UInt8: String] = [
        0xA0: "EVRC", 0xA1: "SMV", 0xA5: "AC-3", 0xA6: "E-AC-3", 0xA9: "DTS", 0xAA: "DTS-HD",
        0xAB: "DTS-HD", 0xAC: "DTS-HD", 0xDD: "Vorbis", 0xE1: "QCELP",
    ]
}

/// The reason why a track cannot be played.
struct MP4Error: Error {
    /// A sentence without its full stop.
    var reason: String
}

extension MP4Error {
    /// The track has an unsupported codec.
    init(codec name: String) {
        self.init(
            reason:
                "The audio is coded as \(name), which Weir does not support; use a player that supports it"
        )
    }
}
