// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import CWeirLibav
public import WeirAudio
public import WeirPlayback

/// Decodes with FFmpeg's libavcodec: MPEG audio, AAC, Vorbis, Opus, FLAC and Apple Lossless.
///
/// The library trims nothing and uses one thread. It writes nothing to the standard error, in the
/// whole process. It applies the output gain of an Opus header.
///
/// The library cannot decode MPEG audio of free bit rate.
///
/// The library is the system's: the newest usable one of libavcodec 59 to 63 (FFmpeg 5.1 to 9).
/// Weir loads it when it decodes the first packet. A program starts and plays uncompressed sound
/// without it.
public struct LibavDecoderFactory: AudioDecoderFactory {
    /// A factory.
    public init() {}

    /// Makes a decoder.
    ///
    /// - Parameter format: the format of the packets.
    /// - Returns: `nil` for uncompressed and unknown codecs, and for codecs that the installed
    ///   library was built without.
    /// - Throws: ``/WeirPlayback/AudioError`` with `unavailable` when the library is missing (the
    ///   message says what to install), or when it is too old for xHE-AAC; with `badConfiguration`
    ///   if the library refuses the configuration.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        guard let codec = LibavCodec(format.codec) else { return nil }
        if let problem = LibavLibrary.system.problem { throw problem }
        guard weir_av_has(codec.codec) != 0 else {
            guard codec.codec == WEIR_AV_USAC else { return nil }
            throw AudioError(
                .unavailable,
                "This is xHE-AAC (USAC), which libavcodec decodes from FFmpeg 7.1 on; install a newer one, or use a"
                    + " player that supports it."
            )
        }
        return try LibavDecoder(codec, format: format)
    }
}

/// One open decoder of the library.
final class LibavDecoder: AudioDecoder {
    private let codec: LibavCodec
    private let format: AudioFormat
    private let name: String
    private let dropsHeaders: Bool
    private let bitsPerSample: Int?
    private let sampleRate: Int
    private var hasDecoded = false
    /// Whether the next Vorbis packet only prepares the packet after it, and makes no sound (Vorbis
    /// I §4.3.8).
    ///
    /// FFmpeg 6 and newer return sound for such a packet; FFmpeg 5.1 returns nothing.
    private var isAtFirst: Bool
    /// Only for Opus, whose decoder may be late.
    private var balance: FrameBalance?
    /// Lives as long as this object, which alone frees it.
    private var decoder: OpaquePointer?

    /// Opens a decoder; the library must be ready and must have this decoder.
    ///
    /// - Throws: `AudioError` with `badConfiguration` or `failed`.
    init(_ codec: LibavCodec, format: AudioFormat) throws(AudioError) {
        self.name = codec.name
        self.dropsHeaders = codec.dropsHeaders(format)
        self.bitsPerSample = format.bitsPerSample
        self.sampleRate = max(format.sampleRate, 1)
        self.balance = format.codec == .opus ? FrameBalance() : nil
        self.isAtFirst = format.codec == .vorbis
        self.codec = codec
        self.format = format
        self.decoder = try Self.open(codec, format)
    }

    deinit {
        weir_av_close(self.decoder)
    }

    func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
        guard let decoder else { throw Self.noMemory }
        try self.send(packet, to: decoder)
        let received = try self.receive(from: decoder)
        if self.isAtFirst {
            self.isAtFirst = false
            return nil
        }
        guard var buffer = received else { return nil }
        self.hasDecoded = true
        if self.balance != nil {
            let (product, overflow) = packet.duration.rawValue.multipliedReportingOverflow(
                by: Int64(buffer.format.sampleRate)
            )
            let frameCount = overflow ? 0 : Int(product / Int64(self.sampleRate))
            self.balance?.settle(&buffer, expecting: frameCount)
        }
        return buffer
    }

    private func receive(from decoder: OpaquePointer) throws(AudioError) -> PCMBuffer? {
        var buffer: PCMBuffer?
        while true {
            var sound = weir_av_sound()
            let status = weir_av_receive(decoder, &sound)
            if weir_av_wants_packet(status) != 0 { return buffer }
            guard status >= 0 else { throw self.failure(status) }
            guard let next = try self.buffer(of: sound) else { continue }
            if let old = buffer, old.format == next.format {
                buffer?.samples += next.samples
            } else {
                buffer = next
            }
        }
    }

    func reset() {
        guard let decoder else { return }
        self.isAtFirst = self.format.codec == .vorbis
        self.balance?.reset()
        guard self.balance == nil else {
            // The library's Opus decoder keeps part of its state over a flush, which is heard as a
            // click.
            weir_av_close(decoder)
            self.decoder = nil
            self.decoder = try? Self.open(self.codec, self.format)
            return
        }
        weir_av_flush(decoder)
    }

    private static func open(
        _ codec: LibavCodec,
        _ format: AudioFormat
    ) throws(AudioError) -> OpaquePointer {
        let channelCount = format.channelCount.flatMap { (1...64).contains($0) ? Int32($0) : nil }
        let extradata = codec.extradata(format)
        var opened: OpaquePointer?
        let status = extradata.withUnsafeBufferPointer { bytes in
            weir_av_open(
                &opened,
                codec.codec,
                Int32(clamping: format.sampleRate),
                channelCount ?? 0,
                format.channelLayout?.rawValue ?? 0,
                bytes.baseAddress,
                bytes.count
            )
        }
        if let decoder = opened { return decoder }
        if weir_av_is_out_of_memory(status) != 0 { throw Self.noMemory }
        throw AudioError(
            .badConfiguration,
            "The decoder of \(codec.name) rejects the configuration of the stream: \(Self.words(status))."
        )
    }

    private func send(
        _ packet: AudioPacket,
        to decoder: OpaquePointer
    ) throws(AudioError) {
        let header = self.dropsHeaders ? min(packet.headerCount, packet.payload.count) : 0
        guard packet.payload.count > header else {
            throw AudioError(.badPacket, "A packet of \(self.name) is empty.")
        }
        // Once a frame was decoded, the stream has a bit rate, and a packet without one is damaged.
        if case .mpegLayer = self.format.codec, !self.hasDecoded, packet.payload.isFreeFormat {
            throw AudioError(
                .unsupported,
                "This is MPEG audio of free format, without a bit rate, which libavcodec does not decode; encode it"
                    + " again at one of the usual bit rates."
            )
        }
        let status = packet.payload.withUnsafeBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes[header...])
            return weir_av_send(
                decoder,
                body.baseAddress?.assumingMemoryBound(to: UInt8.self),
                body.count
            )
        }
        guard status >= 0 else { throw self.failure(status) }
    }

    private func buffer(of sound: weir_av_sound) throws(AudioError) -> PCMBuffer? {
        let channelCount = Int(sound.channel_count)
        let frameCount = Int(sound.frame_count)
        let sampleRate = Int(sound.sample_rate)
        guard frameCount > 0 else { return nil }
        guard let planes = LibavPlanes(sound), channelCount > 0, sampleRate > 0 else {
            throw AudioError(
                .failed,
                "The decoder of \(self.name) returns samples in a format that Weir does not support."
            )
        }
        let format = PCMFormat(
            sampleRate: sampleRate,
            channelCount: channelCount,
            channelLayout: self.layout(of: sound),
            significantBits: planes.isInteger ? (self.bitsPerSample ?? planes.bits) : 16
        )
        let count = frameCount * channelCount
        let samples = [Float](unsafeUninitializedCapacity: count) { target, initialized in
            if let target = target.baseAddress {
                planes.interleave(into: target, frameCount: frameCount, channelCount: channelCount)
            }
            initialized = count
        }
        return PCMBuffer(format: format, samples: samples)
    }

    /// The container's layout if its channel count fits; otherwise the decoder's layout, which may
    /// be derived only from the count.
    private func layout(of sound: weir_av_sound) -> ChannelLayout? {
        if let layout = self.format.channelLayout, layout.count == Int(sound.channel_count) {
            return layout
        }
        return sound.channel_mask == 0 ? nil : ChannelLayout(rawValue: sound.channel_mask)
    }

    private func failure(_ status: Int32) -> AudioError {
        // A decoder at its end needs a reset; this code never signals an end to it.
        if weir_av_is_out_of_memory(status) != 0 || weir_av_is_at_end(status) != 0 {
            return AudioError(
                .failed,
                "The decoder of \(self.name) failed: \(Self.words(status))."
            )
        }
        return AudioError(
            .badPacket,
            "A packet of \(self.name) could not be decoded: \(Self.words(status))."
        )
    }

    private static var noMemory: AudioError {
        AudioError(.failed, "Not enough memory for a decoder; close other programs.")
    }

    /// The library's message for an error.
    private static func words(_ status: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress, weir_av_words(status, base, buffer.count) >= 0
            else {
                return "error \(status)"
            }
            return String(cString: base)
        }
    }
}
#endif

extension ByteMemory {
    /// Whether the header of an MPEG audio frame has no bit rate.
    ///
    /// The bit rate is the high half of the third byte (ISO 11172-3 §2.4.2.3).
    fileprivate var isFreeFormat: Bool {
        self.withUnsafeBytes { $0.count > 2 && $0[2] >> 4 == 0 }
    }
}
