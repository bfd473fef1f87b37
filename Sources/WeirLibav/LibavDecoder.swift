// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if LinuxAudio
import CWeirLibav
public import WeirAudio
public import WeirPlayback

/// Decodes with FFmpeg's libavcodec: MPEG audio, AAC, Vorbis, Opus, FLAC and Apple Lossless.
///
/// The library is told to trim nothing and to use one thread; what it would write to the standard error it keeps to
/// itself, in the whole process. An Opus header's output gain is applied by the library.
///
/// MPEG audio of free bit rate is not decoded: the library cannot.
public struct LibavDecoderFactory: AudioDecoderFactory {
    /// A factory.
    public init() {}

    /// Makes a decoder.
    ///
    /// - Parameter format: what the packets are of.
    /// - Returns: `nil` for uncompressed and unknown codecs, and those that the installed library was built without.
    /// - Throws: ``/WeirPlayback/AudioError`` with `badConfiguration` if the library refuses the configuration.
    public func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        guard let codec = LibavCodec(format.codec) else { return nil }
        return try LibavDecoder(codec, format: format)
    }
}

/// One decoder of the library, open.
final class LibavDecoder: AudioDecoder {
    private static let quiet: Void = weir_av_be_quiet()

    private let codec: LibavCodec
    private let format: AudioFormat
    private let name: String
    private let dropsHeaders: Bool
    private let bitsPerSample: Int?
    private let sampleRate: Int
    /// Only for Opus, whose decoder may be late.
    private var balance: FrameBalance?
    /// The three of them live as long as this object, which alone frees them.
    private var context: UnsafeMutablePointer<AVCodecContext>?
    private var packet: UnsafeMutablePointer<AVPacket>?
    private var frame: UnsafeMutablePointer<AVFrame>?

    /// Opens a decoder.
    ///
    /// - Throws: `AudioError` with `badConfiguration` or `failed`.
    init(_ codec: LibavCodec, format: AudioFormat) throws(AudioError) {
        _ = Self.quiet
        self.name = codec.name
        self.dropsHeaders = codec.dropsHeaders(format)
        self.bitsPerSample = format.bitsPerSample
        self.sampleRate = max(format.sampleRate, 1)
        self.balance = format.codec == .opus ? FrameBalance() : nil
        self.codec = codec
        self.format = format
        self.packet = av_packet_alloc()
        self.frame = av_frame_alloc()
        guard self.packet != nil, self.frame != nil else { throw Self.noMemory }
        self.context = try Self.open(codec, format)
    }

    deinit {
        avcodec_free_context(&self.context)
        av_packet_free(&self.packet)
        av_frame_free(&self.frame)
    }

    func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
        guard let context, let frame else { throw Self.noMemory }
        try self.send(packet, to: context)
        guard var buffer = try self.receive(frame, from: context) else { return nil }
        if self.balance != nil {
            let (product, overflow) = packet.duration.rawValue.multipliedReportingOverflow(
                by: Int64(buffer.format.sampleRate)
            )
            let frameCount = overflow ? 0 : Int(product / Int64(self.sampleRate))
            self.balance?.settle(&buffer, expecting: frameCount)
        }
        return buffer
    }

    private func receive(
        _ frame: UnsafeMutablePointer<AVFrame>,
        from context: UnsafeMutablePointer<AVCodecContext>
    ) throws(AudioError) -> PCMBuffer? {
        var buffer: PCMBuffer?
        while true {
            let status = avcodec_receive_frame(context, frame)
            if weir_av_wants_packet(status) != 0 { return buffer }
            guard status >= 0 else { throw self.failure(status) }
            defer { av_frame_unref(frame) }
            guard let next = try self.sound(of: frame) else { continue }
            if let old = buffer, old.format == next.format {
                buffer?.samples += next.samples
            } else {
                buffer = next
            }
        }
    }

    func reset() {
        guard let context else { return }
        self.balance?.reset()
        guard self.balance == nil else {
            // The library's decoder of Opus keeps some of what it knows over a flush, which is heard as a click.
            avcodec_free_context(&self.context)
            self.context = try? Self.open(self.codec, self.format)
            return
        }
        avcodec_flush_buffers(context)
    }

    private static func open(
        _ codec: LibavCodec,
        _ format: AudioFormat
    ) throws(AudioError) -> UnsafeMutablePointer<AVCodecContext> {
        var opened = avcodec_alloc_context3(codec.codec)
        guard let context = opened else { throw Self.noMemory }
        context.pointee.thread_count = 1
        context.pointee.flags2 |= weir_av_flag_trim_nothing()
        context.pointee.sample_rate = Int32(clamping: format.sampleRate)
        if let count = format.channelCount, (1...64).contains(count) {
            av_channel_layout_default(&context.pointee.ch_layout, Int32(count))
        }
        do throws(AudioError) {
            try Self.set(codec.extradata(format), in: context)
            let status = avcodec_open2(context, codec.codec, nil)
            guard status >= 0 else {
                throw AudioError(
                    .badConfiguration,
                    "The decoder of \(codec.name) refuses what the stream says of itself: \(Self.words(status))."
                )
            }
        } catch {
            avcodec_free_context(&opened)
            throw error
        }
        return context
    }

    private func send(
        _ packet: AudioPacket,
        to context: UnsafeMutablePointer<AVCodecContext>
    ) throws(AudioError) {
        let header = self.dropsHeaders ? min(packet.headerCount, packet.payload.count) : 0
        let count = packet.payload.count - header
        guard count > 0, let size = Int32(exactly: count) else {
            throw AudioError(.badPacket, "A packet of \(self.name) is empty.")
        }
        // The library's own memory, with the zeros behind it that decoders read beyond the end.
        guard let target = self.packet, av_new_packet(target, size) >= 0,
            let data = target.pointee.data
        else { throw Self.noMemory }
        defer { av_packet_unref(target) }
        packet.payload.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: data, count: count)
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[header...]))
        }
        let status = avcodec_send_packet(context, target)
        guard status >= 0 else { throw self.failure(status) }
    }

    private func sound(of frame: UnsafeMutablePointer<AVFrame>) throws(AudioError) -> PCMBuffer? {
        let channelCount = Int(frame.pointee.ch_layout.nb_channels)
        let frameCount = Int(frame.pointee.nb_samples)
        let sampleRate = Int(frame.pointee.sample_rate)
        guard frameCount > 0 else { return nil }
        guard let planes = LibavPlanes(frame), channelCount > 0, sampleRate > 0 else {
            throw AudioError(
                .failed,
                "The decoder of \(self.name) gives samples of a kind that Weir does not know."
            )
        }
        let format = PCMFormat(
            sampleRate: sampleRate,
            channelCount: channelCount,
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

    private func failure(_ status: Int32) -> AudioError {
        // A decoder that is at its end wants to be reset; it is never told of an end here.
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

    /// Copies a configuration into memory that the context frees.
    private static func set(
        _ bytes: [UInt8],
        in context: UnsafeMutablePointer<AVCodecContext>
    ) throws(AudioError) {
        guard !bytes.isEmpty else { return }
        guard let size = Int32(exactly: bytes.count), bytes.count < 1 << 24,
            let memory = av_mallocz(bytes.count + Int(weir_av_padding()))
        else { throw Self.noMemory }
        bytes.withUnsafeBytes { source in
            UnsafeMutableRawBufferPointer(start: memory, count: source.count)
                .copyMemory(from: source)
        }
        context.pointee.extradata = memory.assumingMemoryBound(to: UInt8.self)
        context.pointee.extradata_size = size
    }

    private static var noMemory: AudioError {
        AudioError(.failed, "There is no memory for a decoder; close other programs.")
    }

    /// The library's words for an error, without a capital.
    private static func words(_ status: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let base = buffer.baseAddress, av_strerror(status, base, buffer.count) >= 0 else {
                return "error \(status)"
            }
            return String(cString: base)
        }
    }
}
#endif
