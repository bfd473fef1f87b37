// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The `fmt ` chunk of a WAVE file (Microsoft's mmreg.h; RFC 2361 lists the format tags).
///
///     offset 0   format tag            16   1 PCM, 3 float, 6 A-law, 7 µ-law, 0xFFFE extensible
///            2   channels              16
///            4   samples a second      32
///            8   bytes a second        32   not used: it follows from the others
///           12   bytes a block         16   one sample of each channel
///           14   bits a sample         16   absent in the oldest form
///           16   size of the rest      16
///           18   valid bits            16   extensible only, from here
///           20   loudspeakers          32   a bit for each loudspeaker, in the order of channels
///           24   format               128   a format tag and a constant
struct WAVEFormatChunk: Hashable, Sendable {
    /// The most bytes of the chunk that are read.
    static let maximumByteCount = 40

    /// How a sample is coded.
    let layout: PCMLayout
    /// How many bits of a sample are used; `nil` for A-law and µ-law.
    let validBits: Int?
    /// Samples a second, from 1.
    let sampleRate: Int
    /// How many channels there are, from 1.
    let channelCount: Int
    /// Which loudspeakers the channels are for; `nil` if the chunk does not say.
    let channelLayout: ChannelLayout?
    /// How many bytes one sample of each channel has in total, from 1 to 65,535 × 8.
    let blockSize: Int

    /// Reads the chunk.
    ///
    /// - Parameters:
    ///   - view: the chunk, or its first 40 bytes.
    ///   - isBig: whether numbers and samples have their most significant byte first (RIFX).
    ///   - offset: the offset of the chunk in the stream.
    /// - Throws: `unsupported` for a coding that Weir does not read, `malformed` for impossible
    ///   numbers.
    init(_ view: ByteView, isBig: Bool, at offset: Int64) throws(AudioStreamError) {
        func short(_ position: Int) -> Int {
            isBig ? Int(view.big(position, UInt16.self)) : Int(view.little(position, UInt16.self))
        }
        guard view.count >= 14 else {
            throw AudioStreamError(.malformed, at: offset, "The fmt chunk is too short")
        }
        var tag = short(0)
        self.channelCount = short(2)
        self.sampleRate = isBig ? Int(view.big(4, UInt32.self)) : Int(view.little(4, UInt32.self))
        let stated = short(12)
        let bits = view.count >= 16 ? short(14) : 8
        var valid = bits
        var mask: UInt32 = 0
        if tag == 0xFFFE {
            guard view.count >= 40, short(16) >= 22 else {
                throw AudioStreamError(
                    .malformed,
                    at: offset,
                    "The extensible fmt chunk is too short"
                )
            }
            mask = isBig ? view.big(20, UInt32.self) : view.little(20, UInt32.self)
            if short(18) > 0, short(18) < bits { valid = short(18) }
            guard Self.isStandard(view[24..<40], isBig: isBig) else {
                throw AudioStreamError(
                    .unsupported,
                    at: offset,
                    "The WAVE file is coded in a private format"
                )
            }
            tag = short(24)
        }
        self.channelLayout = ChannelLayout(mask: mask, channelCount: self.channelCount)
        guard self.channelCount > 0 else {
            throw AudioStreamError(.malformed, at: offset, "The WAVE file has no channels")
        }
        guard self.sampleRate > 0 else {
            throw AudioStreamError(.malformed, at: offset, "The WAVE file has a sample rate of 0")
        }
        let encoding = try Self.encoding(tag, bits, at: offset)
        // A sample may have more bytes than its bits need.
        let least = (bits + 7) / 8
        let perSample = stated / self.channelCount
        let fits = perSample * self.channelCount == stated && perSample >= least && perSample <= 8
        let bytes = fits ? perSample : least
        guard stated == 0 || fits else {
            throw AudioStreamError(
                .malformed,
                at: offset,
                "The block size of the WAVE file does not fit its channels and bits"
            )
        }
        self.blockSize = bytes * self.channelCount
        self.validBits = encoding == .aLaw || encoding == .muLaw ? nil : valid
        self.layout = PCMLayout(
            encoding: encoding,
            bitsPerSample: bytes * 8,
            isBigEndian: isBig && bytes > 1
        )
        let isKnown =
            switch encoding {
            case .float: bytes == 4 || bytes == 8
            case .aLaw, .muLaw, .unsignedInteger: bytes == 1
            case .signedInteger: bytes == 2 || bytes == 3 || bytes == 4 || bytes == 8
            }
        guard isKnown else {
            throw AudioStreamError(
                .unsupported,
                at: offset,
                "Weir cannot read WAVE samples of \(bits) bits in \(bytes) bytes"
            )
        }
    }

    private static func encoding(_ tag: Int, _ bits: Int, at offset: Int64) throws(AudioStreamError)
        -> PCMLayout.Encoding
    {
        switch (tag, bits) {
        case (1, 1...8): return .unsignedInteger
        case (1, 9...64): return .signedInteger
        case (3, 32), (3, 64): return .float
        case (6, 8): return .aLaw
        case (7, 8): return .muLaw
        case (1, _), (3, _), (6, _), (7, _):
            throw AudioStreamError(
                .unsupported,
                at: offset,
                "The WAVE file has samples of \(bits) bits, which Weir cannot decode"
            )
        default:
            let name = Self.names[tag] ?? "a codec of number 0x\(String(tag, radix: 16))"
            throw AudioStreamError(
                .unsupported,
                at: offset,
                "This is \(name) in a WAVE file, which Weir cannot parse; use a player that supports it"
            )
        }
    }

    /// The names of unsupported codecs, by format tag.
    private static let names = [
        2: "Microsoft ADPCM", 0x08: "DTS", 0x10: "OKI ADPCM", 0x11: "IMA ADPCM",
        0x14: "G.723 ADPCM",
        0x17: "Dialogic OKI ADPCM", 0x20: "Yamaha ADPCM", 0x22: "TrueSpeech", 0x31: "GSM 6.10",
        0x34: "VoxWare", 0x40: "G.721 ADPCM", 0x42: "G.723.1", 0x45: "G.726 ADPCM",
        0x50: "MP2 (MPEG layer I or II)", 0x55: "MP3 (MPEG layer III)", 0x61: "Duck ADPCM",
        0x62: "Duck ADPCM", 0x64: "G.726 ADPCM", 0x65: "G.722", 0x69: "IMA ADPCM",
        0x75: "VoxWare", 0x83: "G.729", 0x85: "GSM 6.10", 0x92: "AC-3", 0xFF: "AAC",
        0x130: "ACELP.net", 0x160: "Windows Media Audio", 0x161: "Windows Media Audio",
        0x162: "Windows Media Audio Professional", 0x163: "Windows Media Audio Lossless",
        0x200: "Creative ADPCM", 0x270: "ATRAC3", 0x28F: "G.722", 0x674F: "Vorbis",
        0x6750: "Vorbis", 0x6751: "Vorbis", 0x676F: "Vorbis", 0x6770: "Vorbis", 0x6771: "Vorbis",
        0x704F: "Opus", 0x1600: "AAC (ADTS)", 0x1601: "AAC (LOAS)", 0x1602: "AAC (LOAS)",
        0x1610: "AAC", 0x2000: "AC-3", 0x2001: "DTS", 0x4143: "AAC", 0xA106: "AAC",
        0xA109: "Speex", 0xF1AC: "FLAC",
    ]

    /// Whether a format's 16 bytes are a format tag and the constant that follows every tag.
    private static func isStandard(_ view: ByteView, isBig: Bool) -> Bool {
        let constant: [UInt8] = [
            0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x80, 0x00, 0x00, 0xAA, 0x00, 0x38, 0x9B, 0x71,
        ]
        if view[2..<16].array == constant { return true }
        return isBig && view[8..<16].array == Array(constant[6...])
    }
}

/// The texts of a `bext` chunk (EBU Tech 3285 §2.3).
///
///     description 256 | originator 32 | reference 32 | date 10, 2026-11-24 | time 8, 20:15:00 | …
extension AudioTags {
    /// How many bytes of the chunk are read.
    static let broadcastCount = 338

    /// Reads the first bytes of the chunk: texts, padded with zeros.
    ///
    /// - Parameter view: ``broadcastCount`` bytes.
    /// - Returns: the fields that are not empty.
    static func fields(ofBroadcast view: ByteView) -> [AudioTagField] {
        let parts = [
            ("DESCRIPTION", 0..<256), ("ORIGINATOR", 256..<288), ("ORIGINATORREFERENCE", 288..<320),
            ("DATE", 320..<330), ("TIME", 330..<338),
        ]
        return parts.compactMap { name, range in
            let bytes = view[range]
            let text = bytes[0..<(bytes.firstIndex(of: 0) ?? bytes.count)]
            guard !text.isEmpty else { return nil }
            return AudioTagField(name, [ICYCharset.text(of: text, override: nil)])
        }
    }
}

/// The fields of a `LIST` chunk of kind `INFO` (Multimedia Programming Interface 1.0, 1991).
///
///     INFO | id 32 | size 32 | text, ended by a zero | [a byte up to an even count] | id …
extension AudioTags {
    /// The most fields of a WAVE file that are kept: a field of one byte takes a hundred bytes in
    /// memory.
    static let maximumInfoFields = 4_096

    /// Reads the chunk, without its header.
    ///
    /// Texts are UTF-8 if they are valid UTF-8, and Windows-1252 if not. Empty texts are left out.
    ///
    /// - Parameters:
    ///   - view: the chunk, from `INFO` on.
    ///   - isBig: whether sizes have their most significant byte first (RIFX).
    /// - Returns: the first ``maximumInfoFields`` fields in their order, as far as the chunk is
    ///   whole; `nil` for another kind of list.
    static func fields(ofInfoList view: ByteView, isBig: Bool) -> [AudioTagField]? {
        guard view.matches("INFO") else { return nil }
        var fields: [AudioTagField] = []
        var position = 4
        while view.count - position >= 8, fields.count < Self.maximumInfoFields {
            let size =
                isBig ? view.big(position + 4, UInt32.self) : view.little(position + 4, UInt32.self)
            let name = String(decoding: view[position..<position + 4].array, as: UTF8.self)
            position += 8
            guard Int(size) <= view.count - position else { break }
            let value = view[position..<position + Int(size)]
            let text = ICYCharset.text(
                of: value[0..<(value.firstIndex(of: 0) ?? value.count)],
                override: nil
            )
            if !text.isEmpty { fields.append(AudioTagField(name, [text])) }
            position = min(view.count, position + Int(size) + Int(size & 1))
        }
        return fields
    }
}
