// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import Foundation
public import WeirAudio
public import WeirPlayback

/// Decodes with the decoders of Apple's systems: MPEG audio, AAC of every kind, ALAC, FLAC and
/// Opus.
///
/// They do not decode Vorbis. Uncompressed audio needs no decoder of the system.
public struct AudioToolboxDecoderFactory: AudioDecoderFactory {
    /// Makes a factory.
    public init() {}

    /// Makes a decoder.
    ///
    /// - Parameter format: the format of the packets.
    /// - Returns: `nil` for codecs that Apple's systems do not decode.
    /// - Throws: `AudioError` if the system supports the codec, but not the configuration.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        guard let description = CodecDescription(format) else { return nil }
        return try AudioConverterDecoder(format, description)
    }
}

/// Decodes packets with an audio converter, and returns exactly the frames of each packet.
final class AudioConverterDecoder: AudioDecoder {
    /// The most frames of a packet: a FLAC packet has up to 65,535, and HE-AAC doubles a smaller
    /// number.
    private static let packetLimit = 1 << 17
    /// How many packets in a row may decode to no frames after the start.
    private static let silenceLimit = 8

    private let format: AudioFormat
    private var box: ConverterBox?
    private var description: CodecDescription
    private var isExamined: Bool
    /// Decoded samples that belong to later packets.
    private var pending: [Float] = []
    /// Whether no samples were decoded since the start or a reset.
    private var isFresh = true
    private var silentPackets = 0

    /// A decoder; makes its converter at once if the format is sufficient, otherwise at the first
    /// packet.
    init(_ format: AudioFormat, _ description: CodecDescription) throws(AudioError) {
        guard description.sampleRate > 0, description.sampleRate <= 1_000_000,
            description.channelCount <= 64, description.framesPerPacket <= Self.packetLimit
        else {
            throw AudioError(
                .badConfiguration,
                """
                The stream has \(description.channelCount) channels at \(description.sampleRate) Hz, in packets of \
                \(description.framesPerPacket) frames, which no decoder of the system supports
                """
            )
        }
        self.format = format
        self.description = description
        self.isExamined = !format.mayDecodeToDoubleRate
        guard self.isExamined, format.codec != .opus, description.framesPerPacket > 0 else {
            return
        }
        self.box = try self.makeBox()
    }

    func reset() {
        self.box?.reset()
        self.pending = []
        self.isFresh = true
        self.silentPackets = 0
    }

    func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
        guard packet.headerCount >= 0, packet.headerCount < packet.payload.count,
            packet.duration > 0, packet.duration.rawValue <= Int64(Self.packetLimit) / 2
        else {
            throw AudioError(
                .badPacket,
                "A packet of \(packet.payload.count) bytes holds no sound"
            )
        }
        let payload = packet.payload[packet.headerCount..<packet.payload.count]
        let box = try self.box(for: packet, payload)
        let frames = Int(packet.duration.rawValue) * self.rateFactor
        try box.decode(payload, frames: frames, into: &self.pending)
        return try self.take(frames)
    }

    /// 2 if the packets decode to twice the rate of the format.
    private var rateFactor: Int {
        self.format.codec == .opus
            ? 1 : max(1, self.description.sampleRate / max(1, self.format.sampleRate))
    }

    private func makeBox() throws(AudioError) -> ConverterBox {
        guard self.description.channelCount > 0 else {
            throw AudioError(.unsupported, "The stream does not say how many channels it has")
        }
        return try ConverterBox(self.description, self.format)
    }

    private func box(for packet: AudioPacket, _ payload: ByteMemory) throws(AudioError)
        -> ConverterBox
    {
        if !self.isExamined { self.examine(packet, payload) }
        let frames = Int(packet.duration.rawValue)
        let isOpus = self.format.codec == .opus
        // The converter takes packets of one length; if a stream changes the length, it needs a new
        // converter.
        if self.description.framesPerPacket == 0 || isOpus,
            self.description.framesPerPacket != frames
        {
            self.description.framesPerPacket = frames
            self.box = nil
            self.pending = []
            self.isFresh = true
        }
        if let box { return box }
        let box = try self.makeBox()
        self.box = box
        return box
    }

    /// Checks whether the first packet has more than the format declares.
    private func examine(_ packet: AudioPacket, _ payload: ByteMemory) {
        self.isExamined = true
        let frame =
            packet.headerCount > 0
            ? packet.payload.array
            : CodecDescription.adtsFrame(
                around: payload.array,
                configuration: self.format.configuration
            )
        guard let frame else { return }
        self.description = self.description.extended(by: frame)
    }

    /// Takes a packet's frames from the decoded samples.
    ///
    /// At the start a decoder withholds its first, incomplete frames, so it returns fewer frames.
    /// Silence replaces the missing ones, so that all later frames have the correct times.
    private func take(_ frames: Int) throws(AudioError) -> PCMBuffer? {
        let channels = self.description.channelCount
        let wanted = frames * channels
        var samples = self.pending
        if samples.isEmpty {
            self.silentPackets += 1
            guard self.isFresh, self.silentPackets <= Self.silenceLimit else {
                throw AudioError(.badPacket, "The system's decoder returned nothing for a packet")
            }
        } else {
            self.silentPackets = 0
        }
        if samples.count > wanted {
            self.pending.removeFirst(wanted)
            // If more than a whole packet is left over, the durations of the packets are wrong.
            if self.pending.count > wanted { self.pending = [] }
            samples.removeLast(samples.count - wanted)
        } else {
            self.pending = []
            let silence = [Float](repeating: 0, count: wanted - samples.count)
            samples = self.isFresh ? silence + samples : samples + silence
        }
        if self.silentPackets == 0 { self.isFresh = false }
        self.finish(&samples)
        return PCMBuffer(
            format: PCMFormat(
                sampleRate: self.description.sampleRate,
                channelCount: channels,
                significantBits: self.format.bitsPerSample ?? 16
            ),
            samples: samples
        )
    }

    /// Sorts the channels, and applies the output gain of Opus (RFC 7845 §5.1), which the cookie
    /// omits.
    private func finish(_ samples: inout [Float]) {
        if let order = ChannelOrder.source(
            of: self.format,
            channelCount: self.description.channelCount
        ) {
            ChannelOrder.arrange(&samples, by: order)
        }
        guard self.format.codec == .opus, self.format.outputGain != 0 else { return }
        let gain = Float(pow(10, Double(self.format.outputGain) / (20 * 256)))
        for index in samples.indices { samples[index] *= gain }
    }
}
#endif
