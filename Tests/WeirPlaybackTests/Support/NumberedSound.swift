// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirAudio

@testable import WeirPlayback

/// Numbered MPEG-2.5 layer III frames of 8 kbit/s: 72 bytes are 72 ms.
enum NumberedSound {
    static let frameTime = Duration.milliseconds(72)

    static func frame(_ number: Int) -> [UInt8] {
        [0xFF, 0xE3, 0x18, 0xC0] + [UInt8](repeating: 0, count: 32)
            + (0..<6).map { 0x40 | UInt8(number >> (6 * $0) & 0x3F) }
            + [UInt8](repeating: 7, count: 30)
    }

    static func number(of packet: AudioPacket) -> Int {
        let bytes = packet.payload.array
        return (0..<6).reduce(0) { $0 | Int(bytes[36 + $1] & 0x3F) << (6 * $1) }
    }
}

/// Decodes a numbered frame to samples that all equal its number, far beyond full scale.
struct NumberedDecoders: AudioDecoderFactory {
    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        Decoder(format: PCMFormat(sampleRate: format.sampleRate / 64, channelCount: 1))
    }

    private final class Decoder: AudioDecoder {
        private let format: PCMFormat

        init(format: PCMFormat) { self.format = format }

        func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
            let count = Int(packet.duration.rawValue) / 64
            let number = Float(NumberedSound.number(of: packet))
            return PCMBuffer(
                format: self.format,
                samples: [Float](repeating: number, count: count)
            )
        }

        func reset() {}
    }
}

/// Records the numbers of the frames that it receives, at the pace of a loudspeaker.
final class NumberedSink: AudioSink {
    private let pace: NullSink
    private let noted = Mutex<[Int]>([])

    init(clock: any Clock<Duration>) { self.pace = NullSink(clock: clock) }

    var numbers: [Int] { self.noted.withLock { $0 } }

    var isPaced: Bool { true }
    var delay: Duration { self.pace.delay }
    func open(_ format: PCMFormat) async throws -> PCMFormat { format }

    func write(_ buffer: PCMBuffer) async throws {
        try await self.pace.write(buffer)
        if let last = buffer.samples.last { self.noted.withLock { $0.append(Int(last)) } }
    }

    func drain() async throws { try await self.pace.drain() }
    func pause() { self.pace.pause() }
    func resume() { self.pace.resume() }
    func discard() { self.pace.discard() }
    func close() async { await self.pace.close() }
}
