// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The start of a sample description, in any of its three versions, and the boxes after it.
struct MP4SoundDescription {
    /// The stated number of channels; 0 if no channels are stated.
    var channelCount: Int
    /// The stated number of bits a sample.
    var bitsPerSample: Int
    /// Samples a second; 0 if the stated rate is impossible.
    var sampleRate: Int
    /// The flags of `lpcm`: 1 float, 2 big endian, 4 signed.
    var flags: UInt32?
    /// How many bytes the start has, without the boxes.
    var count: Int

    // The boxes that configure a codec; those in a `wave` (QuickTime) count too.

    /// The descriptors of `esds`.
    var elementaryStream: MP4Box.ElementaryStream?
    /// The cookie of `alac`.
    var lossless: ByteView?
    /// The content of `dOps`.
    var opus: ByteView?
    /// The content of `dfLa`.
    var flac: ByteView?
    /// Whether `enda` or `pcmC` says that the least significant byte comes first.
    var isLittleEndian: Bool?
    /// The bits of a sample by `pcmC` (ISO 23003-5).
    var configuredBitsPerSample: Int?

    /// Reads a sample description.
    ///
    /// - Parameters:
    ///   - box: the entry of the `stsd`.
    ///   - isQuickTime: whether the version number has QuickTime's meaning.
    /// - Throws: ``MP4Error`` if the description is too short.
    init(_ box: MP4Box, isQuickTime: Bool) throws(MP4Error) {
        let view = box.content
        let tooShort = MP4Error(reason: "The description of the audio track is cut short")
        guard view.count >= 28 else { throw tooShort }
        self.channelCount = Int(view.big(16, UInt16.self))
        self.bitsPerSample = Int(view.big(18, UInt16.self))
        self.sampleRate = Int(view.big(24, UInt32.self) >> 16)
        self.count = 28
        switch isQuickTime ? view.big(8, UInt16.self) : 0 {
        case 1:
            self.count = 44
        case 2:
            self.count = 64
            guard view.count >= self.count else { throw tooShort }
            let rate = Double(bitPattern: view.big(32, UInt64.self))
            self.sampleRate = rate >= 1 && rate < 0x1p31 ? Int(rate) : 0
            self.channelCount = Int(view.big(40, UInt32.self))
            self.bitsPerSample = Int(view.big(48, UInt32.self))
            self.flags = view.big(52, UInt32.self)
        default: break
        }
        guard view.count >= self.count else { throw tooShort }
        self.read(box.children(behind: self.count), isInner: false)
    }

    /// Reads boxes, up to the first box that does not fit.
    private mutating func read(_ boxes: MP4Boxes, isInner: Bool) {
        var boxes = boxes
        while let child = try? boxes.next() {
            let content = child.content
            switch child.type {
            case "wave" where !isInner: self.read(child.children, isInner: true)
            case "esds":
                self.elementaryStream = self.elementaryStream ?? child.elementaryStream
            case "alac" where content.count >= 28: self.lossless = content[4..<content.count]
            case "dOps": self.opus = content
            case "dfLa": self.flac = content
            case "enda" where content.count >= 2: self.isLittleEndian = content[1] == 1
            case "pcmC" where content.count >= 6:
                self.isLittleEndian = content[4] & 1 == 1
                self.configuredBitsPerSample = Int(content[5])
            default: break
            }
        }
    }

    /// The memory layout of uncompressed samples.
    ///
    /// - Parameter type: the letters of the sample description.
    /// - Returns: `nil` if the samples are compressed, or in an unsupported layout.
    func layout(of type: FourCC) -> PCMLayout? {
        let isLittle = self.isLittleEndian ?? false
        let bits = self.configuredBitsPerSample ?? self.bitsPerSample
        switch type {
        case "sowt": return Self.integer(self.bitsPerSample, isBigEndian: false)
        case "twos": return Self.integer(self.bitsPerSample, isBigEndian: true)
        case "raw ", "NONE": return PCMLayout(encoding: .unsignedInteger, bitsPerSample: 8)
        case "in24": return Self.integer(24, isBigEndian: !isLittle)
        case "in32": return Self.integer(32, isBigEndian: !isLittle)
        case "fl32": return Self.float(32, isBigEndian: !isLittle)
        case "fl64": return Self.float(64, isBigEndian: !isLittle)
        case "ipcm": return Self.integer(bits, isBigEndian: !isLittle)
        case "fpcm": return Self.float(bits, isBigEndian: !isLittle)
        case "ulaw": return PCMLayout(encoding: .muLaw, bitsPerSample: 8)
        case "alaw": return PCMLayout(encoding: .aLaw, bitsPerSample: 8)
        case "lpcm":
            guard let flags = self.flags else { return nil }
            let isBig = flags & 2 != 0
            if flags & 1 != 0 { return Self.float(self.bitsPerSample, isBigEndian: isBig) }
            if flags & 4 != 0 { return Self.integer(self.bitsPerSample, isBigEndian: isBig) }
            return self.bitsPerSample == 8
                ? PCMLayout(encoding: .unsignedInteger, bitsPerSample: 8) : nil
        default: return nil
        }
    }

    private static func integer(_ bits: Int, isBigEndian: Bool) -> PCMLayout? {
        guard [8, 16, 24, 32].contains(bits) else { return nil }
        return PCMLayout(
            encoding: .signedInteger,
            bitsPerSample: bits,
            isBigEndian: isBigEndian && bits > 8
        )
    }

    private static func float(_ bits: Int, isBigEndian: Bool) -> PCMLayout? {
        guard bits == 32 || bits == 64 else { return nil }
        return PCMLayout(encoding: .float, bitsPerSample: bits, isBigEndian: isBigEndian)
    }
}
