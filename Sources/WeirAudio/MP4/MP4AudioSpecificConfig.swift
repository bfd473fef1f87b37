// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How AAC is coded (AudioSpecificConfig, ISO 14496-3 §1.6.2.1).
///
///     audioObjectType                  5   31: 6 more bits, plus 32
///     samplingFrequencyIndex           4   15: 24 bits of frequency follow
///     channelConfiguration             4   0: stated by a program config element
///     if the type is 5 (SBR) or 29 (PS):
///         extensionSamplingFrequencyIndex 4 (+ 24), and the type of the core 5 (+ 6)
///     GASpecificConfig: frameLengthFlag 1, dependsOnCoreCoder 1 (14 follow), extensionFlag 1, …
///     optional, at the end: 0x2B7 (11), type 5, sbrPresentFlag 1, index 4 (+ 24),
///         0x548 (11), psPresentFlag 1
struct MP4AudioSpecificConfig: Hashable, Sendable {
    /// The audio object type, with the extensions: 2 is LC, 5 has SBR, 29 has SBR and PS (table
    /// 1.17).
    var objectType: Int
    /// Samples a second of the core.
    var coreRate: Int
    /// Samples a second of the output, as far as stated.
    var sampleRate: Int
    /// How many channels the output has; `nil` if only a decoder can find out.
    var channelCount: Int?
    /// How many samples a packet decodes to, at ``sampleRate``; `nil` for types without a stated
    /// length.
    var samplesPerPacket: Int?
    /// Whether the configuration states that SBR is present or absent; otherwise only a decoder can
    /// find out.
    var saysExtension: Bool

    /// Reads a configuration.
    ///
    /// Fails if the bytes are too short, or state a reserved frequency or reserved channels.
    ///
    /// - Parameter view: the bytes; further bytes may follow.
    init?(_ view: ByteView) {
        var bits = BitReader(view)
        guard var type = Self.objectType(&bits), let core = Self.rate(&bits),
            let code = bits.read(4),
            code <= 7 || code == 11 || code == 12 || code == 14
        else { return nil }
        self.coreRate = core
        self.sampleRate = core
        self.objectType = type
        self.saysExtension = false
        self.channelCount = [nil, 1, 2, 3, 4, 5, 6, 8, nil, nil, nil, 7, 8, nil, 8][Int(code)]
        if type == 5 || type == 29 {
            guard let rate = Self.rate(&bits), let coreType = Self.objectType(&bits) else {
                return nil
            }
            self.sampleRate = rate
            self.saysExtension = true
            type = coreType
            // Parametric stereo always makes two channels from one.
            if self.objectType == 29, self.channelCount == 1 { self.channelCount = 2 }
        }
        guard Self.hasGeneralConfig(type) else { return }
        self.readGeneral(&bits, type: type, hasElement: code == 0)
        if !self.saysExtension { self.readExtension(&bits) }
        if let samples = self.samplesPerPacket, self.sampleRate > core {
            self.samplesPerPacket = samples * self.sampleRate / core
        }
    }

    private static func hasGeneralConfig(_ type: Int) -> Bool {
        switch type {
        case 1, 2, 3, 4, 6, 7, 17, 19, 20, 21, 22, 23: true
        default: false
        }
    }

    private mutating func readGeneral(_ bits: inout BitReader, type: Int, hasElement: Bool) {
        guard let isShort = bits.read(1), let dependsOnCore = bits.read(1) else { return }
        if dependsOnCore == 1 { bits.skip(14) }
        guard let hasExtension = bits.read(1) else { return }
        if type == 23 {
            self.samplesPerPacket = isShort == 1 ? 480 : 512
        } else if type != 3 {
            self.samplesPerPacket = isShort == 1 ? 960 : 1_024
        }
        if hasElement { self.channelCount = Self.programChannels(&bits) }
        if type == 6 || type == 20 { bits.skip(3) }
        if hasExtension == 1 {
            if type == 22 { bits.skip(5 + 11) }
            if type == 17 || type == 19 || type == 20 || type == 23 { bits.skip(3) }
            bits.skip(1)
        }
        if type >= 17 { bits.skip(2) }
    }

    /// How many channels a program config element has (§4.4.1.1).
    private static func programChannels(_ bits: inout BitReader) -> Int? {
        guard bits.skip(4 + 2 + 4), let front = bits.read(4), let side = bits.read(4),
            let back = bits.read(4), let low = bits.read(2), let data = bits.read(3),
            let coupling = bits.read(4)
        else { return nil }
        for width in [4, 4] {
            guard let isMixed = bits.read(1) else { return nil }
            if isMixed == 1 { bits.skip(width) }
        }
        guard let isMatrix = bits.read(1) else { return nil }
        if isMatrix == 1 { bits.skip(3) }
        var channels = Int(low)
        for _ in 0..<front + side + back {
            guard let isPair = bits.read(1), bits.skip(4) else { return nil }
            channels += isPair == 1 ? 2 : 1
        }
        guard bits.skip(Int(low) * 4 + Int(data) * 4 + Int(coupling) * 5) else { return nil }
        bits.skip((8 - bits.position % 8) % 8)
        guard let comment = bits.read(8), bits.skip(Int(comment) * 8) else { return nil }
        return channels > 0 ? channels : nil
    }

    /// Reads the SBR and PS signals at the end, which old decoders ignore.
    private mutating func readExtension(_ bits: inout BitReader) {
        guard bits.read(11) == 0x2B7, Self.objectType(&bits) == 5, let hasBands = bits.read(1)
        else { return }
        self.saysExtension = true
        guard hasBands == 1, let rate = Self.rate(&bits) else { return }
        self.objectType = 5
        self.sampleRate = rate
        guard bits.read(11) == 0x548, bits.read(1) == 1 else { return }
        self.objectType = 29
        if self.channelCount == 1 { self.channelCount = 2 }
    }

    private static func objectType(_ bits: inout BitReader) -> Int? {
        guard let type = bits.read(5) else { return nil }
        guard type == 31 else { return Int(type) }
        return bits.read(6).map { Int($0) + 32 }
    }

    private static func rate(_ bits: inout BitReader) -> Int? {
        guard let index = bits.read(4) else { return nil }
        guard index == 15 else {
            let rates = ADTSHeader.rates
            return Int(index) < rates.count ? rates[Int(index)] : nil
        }
        return bits.read(24).flatMap { $0 > 0 ? Int($0) : nil }
    }
}
