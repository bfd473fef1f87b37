// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// How Apple's decoders call a stream: what goes into an `AudioStreamBasicDescription`.
struct CodecDescription: Hashable, Sendable {
    /// Four letters.
    var formatID: UInt32
    /// What the codec makes of flags: the source's bits, for codecs without loss.
    var flags: UInt32 = 0
    /// Samples a second of what comes out.
    var sampleRate: Int
    /// Frames that a packet decodes to, at ``sampleRate``; 0 where that is not known yet.
    var framesPerPacket: Int
    /// How many channels come out; 0 where that is not known yet.
    var channelCount: Int
    /// Bits of a source sample; 0 for codecs with loss.
    var bitsPerChannel = 0

    /// The four letters, for a person.
    var name: String { FourLetters.name(Int32(bitPattern: self.formatID)) }

    /// Describes a stream, as far as Apple's decoders know its codec.
    ///
    /// There is none for Vorbis, for uncompressed sound, which needs no decoder, and for what nobody knows.
    init?(_ format: AudioFormat) {
        guard let formatID = Self.formatID(of: format) else { return nil }
        self.formatID = formatID
        self.sampleRate = format.codec == .opus ? 48_000 : format.sampleRate
        self.framesPerPacket = format.samplesPerPacket ?? 0
        self.channelCount = format.channelCount ?? 0
        switch format.codec {
        case .aac(let objectType): self.framesPerPacket = Self.frames(objectType, format)
        case .flac:
            self.framesPerPacket = Self.largestBlock(format) ?? self.framesPerPacket
            self.setBits(format)
        case .alac: self.setBits(format)
        default: break
        }
    }

    private static func formatID(of format: AudioFormat) -> UInt32? {
        switch format.codec {
        case .mpegLayer(1): FourLetters.code(".mp1")
        case .mpegLayer(2): FourLetters.code(".mp2")
        case .mpegLayer(3): FourLetters.code(".mp3")
        case .aac(2): FourLetters.code("aac ")
        case .aac(5): FourLetters.code("aach")
        case .aac(29): FourLetters.code("aacp")
        case .aac(23): FourLetters.code("aacl")
        case .aac(39): FourLetters.code("aace")
        case .aac(42): FourLetters.code("usac")
        case .alac: FourLetters.code("alac")
        case .flac: FourLetters.code("flac")
        case .opus: FourLetters.code("opus")
        default: nil
        }
    }

    private static func frames(_ objectType: Int, _ format: AudioFormat) -> Int {
        if let samples = format.samplesPerPacket { return samples }
        switch objectType {
        case 5, 29: return 2_048
        case 23, 39: return 512
        case 42: return 0
        default: return 1_024
        }
    }

    /// The largest block that STREAMINFO names (RFC 9639 §8.2), which the decoder makes room for.
    private static func largestBlock(_ format: AudioFormat) -> Int? {
        guard format.configuration.count >= 4 else { return nil }
        let size = Int(format.configuration[2]) << 8 | Int(format.configuration[3])
        return size > 0 ? size : nil
    }

    private mutating func setBits(_ format: AudioFormat) {
        guard let bits = format.bitsPerSample, (1...32).contains(bits) else { return }
        self.bitsPerChannel = bits
        switch bits {
        case 16: self.flags = 1
        case 20: self.flags = 2
        case 24: self.flags = 3
        case 32: self.flags = 4
        default: break
        }
    }
}
