// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// A format, as it is printed.
struct FormatLine: Encodable {
    struct BitRate: Encodable {
        var bitsPerSecond: Int
        var kind: String
    }

    struct Duration: Encodable {
        var samples: Int64
        var seconds: Double
        var certainty: String
    }

    struct Trim: Encodable {
        var leading: Int64
        var trailing: Int64?
    }

    var section: Int
    var codec: String
    var objectType: Int?
    var sampleRate: Int
    var channels: Int?
    var bitsPerSample: Int?
    var samplesPerPacket: Int?
    var bitRate: BitRate?
    var duration: Duration?
    var trim: Trim?
    /// In dB.
    var outputGain: Double?
    var mayDecodeToDoubleRate: Bool
    /// In hexadecimal digits.
    var configuration: String

    init(_ format: AudioFormat) {
        self.section = format.section
        self.codec = Self.name(of: format.codec)
        if case .aac(let objectType) = format.codec { self.objectType = objectType }
        self.sampleRate = format.sampleRate
        self.channels = format.channelCount
        self.bitsPerSample = format.bitsPerSample
        self.samplesPerPacket = format.samplesPerPacket
        self.bitRate = format.bitRate.map {
            BitRate(bitsPerSecond: $0.bitsPerSecond, kind: $0.kind.rawValue)
        }
        self.duration = format.duration.map {
            Duration(
                samples: $0.samples.rawValue,
                seconds: $0.samples.seconds(sampleRate: format.sampleRate),
                certainty: $0.certainty.rawValue
            )
        }
        self.trim = format.trim.map {
            Trim(leading: $0.leading.rawValue, trailing: $0.trailing?.rawValue)
        }
        self.outputGain = format.outputGain == 0 ? nil : Double(format.outputGain) / 256
        self.mayDecodeToDoubleRate = format.mayDecodeToDoubleRate
        self.configuration = PacketLine.hexadecimal(format.configuration)
    }

    /// A codec in a word.
    static func name(of codec: AudioCodec) -> String {
        switch codec {
        case .mpegLayer(let layer): "mp\(layer)"
        case .aac: "aac"
        case .vorbis: "vorbis"
        case .opus: "opus"
        case .flac: "flac"
        case .alac: "alac"
        case .pcm(let layout):
            switch layout.encoding {
            case .aLaw: "pcm_alaw"
            case .muLaw: "pcm_mulaw"
            case .float: "pcm_f\(Self.order(layout))"
            case .signedInteger: "pcm_s\(Self.order(layout))"
            case .unsignedInteger: "pcm_u\(Self.order(layout))"
            }
        case .other(let name): name
        }
    }

    private static func order(_ layout: PCMLayout) -> String {
        layout.bitsPerSample == 8
            ? "8" : "\(layout.bitsPerSample)\(layout.isBigEndian ? "be" : "le")"
    }
}
