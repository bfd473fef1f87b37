// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Foundation
import WeirAudio
import WeirLibav
import WeirPlayback

/// A file of `Fixtures`, taken apart by Weir's parser and decoded by the library.
///
/// The files hold sines that FFmpeg's `aevalsrc` makes, 0.3 s of them unless said otherwise: two
/// channels of 1000 Hz at 0.5 and 3000 Hz at 0.25; mono is 1000 Hz at 0.5; six channels are 400,
/// 700, 1100, 60, 1700 and 2300 Hz at 0.3 (0.2 s in FLAC); 96 kHz with 24 bits are 0.08 s. Encoded
/// with lame (`-b 128`, `-b 24`), oggenc (`-q4`), opusenc (`--bitrate 96`, `8 --speech`, `256`),
/// flac, and ffmpeg (`mp2 -b:a 192k`, `aac -aac_pns 0 -b:a 128k`, for six channels `aac -b:a 256k`,
/// `alac`).
struct DecodedFixture {
    var formats: [AudioFormat] = []
    var packets: [AudioPacket] = []
    /// The decoded packets, before their trims; `nil` for a packet that gave no samples.
    var buffers: [PCMBuffer?] = []
    /// The heard samples: all decoded samples after the trims.
    var samples: [Float] = []

    var pcm: PCMFormat? { self.buffers.lazy.compactMap { $0?.format }.first }

    /// The heard samples of a channel.
    func channel(_ index: Int) -> [Float] {
        let count = self.pcm?.channelCount ?? 1
        return stride(from: index, to: self.samples.count, by: count).map { self.samples[$0] }
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        return Array(try Data(contentsOf: folder.appending(path: "Fixtures/\(name)")))
    }

    /// Parses and decodes a file.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - change: changes the format before the decoder is made.
    /// - Throws: the errors of the parser and the decoder.
    init(_ name: String, changing change: (inout AudioFormat) -> Void = { _ in }) throws {
        let bytes = ByteMemory(try Self.bytes(name))
        var parser = AudioStreamParser(length: Int64(bytes.count))
        var decoder: (any AudioDecoder)?
        parser.push(bytes)
        parser.finish()
        while let event = try parser.next() {
            switch event {
            case .format(var format):
                change(&format)
                self.formats.append(format)
                if decoder == nil { decoder = try LibavDecoderFactory().decoder(for: format) }
            case .packet(let packet):
                self.packets.append(packet)
                var buffer = try decoder?.decode(packet)
                self.buffers.append(buffer)
                buffer?.trim(
                    leading: packet.trimStart,
                    trailing: packet.trimEnd,
                    at: self.formats.last?.sampleRate ?? 1
                )
                self.samples += buffer?.samples ?? []
            case .wanted(let offset):
                parser.jump(to: offset)
                parser.push(bytes[min(Int(offset), bytes.count)..<bytes.count])
                parser.finish()
            case .tags, .trouble: break
            }
        }
    }
}

/// A sine of the fixtures.
struct Sine {
    var frequency: Double
    var amplitude: Double
    var sampleRate: Int

    func value(_ frame: Int) -> Double {
        let time = Double(frame) / Double(self.sampleRate)
        return self.amplitude * sin(2 * .pi * self.frequency * time)
    }

    /// The ratio of the sine to the samples' difference from it, in decibels.
    ///
    /// The ends, where encoders ring, do not count.
    func purity(of samples: [Float]) -> Double {
        var (signal, noise) = (0.0, 1e-20)
        for frame in samples.count / 6..<samples.count * 5 / 6 {
            let value = self.value(frame)
            let difference = Double(samples[frame]) - value
            signal += value * value
            noise += difference * difference
        }
        return 10 * log10(signal / noise)
    }

    /// The largest difference of a sample from the sine.
    func distance(of samples: [Float]) -> Double {
        samples.indices.reduce(0) { max($0, abs(Double(samples[$1]) - self.value($1))) }
    }
}
#endif
