// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// A stream in the terms of Apple's decoders: the values of an `AudioStreamBasicDescription`.
struct CodecDescription: Hashable, Sendable {
    /// Four letters as a number.
    var formatID: UInt32
    /// The flags of the codec: the source's bit depth, for lossless codecs.
    var flags: UInt32 = 0
    /// The sample rate of the decoded samples, in Hz.
    var sampleRate: Int
    /// Frames that a packet decodes to, at ``sampleRate``; 0 while that is unknown.
    var framesPerPacket: Int
    /// How many decoded channels there are; 0 while that is unknown.
    var channelCount: Int
    /// Bits of a source sample; 0 for lossy codecs.
    var bitsPerChannel = 0

    /// The four letters, for a person.
    var name: String { Self.letters(of: Int32(bitPattern: self.formatID)) }

    /// Describes a stream, if Apple's decoders support its codec.
    ///
    /// The result is `nil` for Vorbis, for uncompressed audio, which needs no decoder, and for an
    /// unknown codec.
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
        case .mpegLayer(1): Self.code(".mp1")
        case .mpegLayer(2): Self.code(".mp2")
        case .mpegLayer(3): Self.code(".mp3")
        case .aac(2): Self.code("aac ")
        case .aac(5): Self.code("aach")
        case .aac(29): Self.code("aacp")
        case .aac(23): Self.code("aacl")
        case .aac(39): Self.code("aace")
        case .aac(42): Self.code("usac")
        case .alac: Self.code("alac")
        case .flac: Self.code("flac")
        case .opus: Self.code("opus")
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

    /// The largest block size in STREAMINFO (RFC 9639 §8.2), for which the decoder allocates
    /// memory.
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
    // MARK: Codes of four letters

    /// The number of four letters; further letters are ignored, and missing letters count as
    /// spaces.
    static func code(_ letters: String) -> UInt32 {
        var code: UInt32 = 0
        for letter in (Array(letters.utf8) + [32, 32, 32, 32]).prefix(4) {
            code = code << 8 | UInt32(letter)
        }
        return code
    }

    /// The letters of a status, or its number if it has no letters.
    static func letters(of status: Int32) -> String {
        let code = UInt32(bitPattern: status)
        let letters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
        guard letters.allSatisfy({ (32..<127).contains($0) }) else { return "\(status)" }
        return "'\(String(decoding: letters, as: UTF8.self))'"
    }
}
