// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AudioToolbox
import WeirAudio
import WeirPlayback

/// An audio converter that decodes packets to interleaved `Float`, at the codec's own rate and with its own channels.
final class ConverterBox {
    let description: CodecDescription
    private let converter: AudioConverterRef
    private let feed = PacketFeed()

    /// Makes a converter.
    ///
    /// - Parameters:
    ///   - description: the stream to decode, with all values known.
    ///   - format: the stream, for the cookie.
    /// - Throws: `AudioError` if the system does not decode the codec, or not with this configuration.
    init(_ description: CodecDescription, _ format: AudioFormat) throws(AudioError) {
        self.description = description
        var source = AudioStreamBasicDescription(
            mSampleRate: Double(description.sampleRate),
            mFormatID: description.formatID,
            mFormatFlags: description.flags,
            mBytesPerPacket: 0,
            mFramesPerPacket: UInt32(clamping: description.framesPerPacket),
            mBytesPerFrame: 0,
            mChannelsPerFrame: UInt32(clamping: description.channelCount),
            mBitsPerChannel: UInt32(clamping: description.bitsPerChannel),
            mReserved: 0
        )
        let frameSize = UInt32(clamping: 4 * description.channelCount)
        var sound = AudioStreamBasicDescription(
            mSampleRate: Double(description.sampleRate),
            mFormatID: kAudioFormatLinearPCM,
            mFormatFlags: kAudioFormatFlagIsFloat | kAudioFormatFlagIsPacked,
            mBytesPerPacket: frameSize,
            mFramesPerPacket: 1,
            mBytesPerFrame: frameSize,
            mChannelsPerFrame: UInt32(clamping: description.channelCount),
            mBitsPerChannel: 32,
            mReserved: 0
        )
        var converter: AudioConverterRef?
        let status = AudioConverterNew(&source, &sound, &converter)
        guard status == noErr, let converter else {
            throw AudioError.refusal(status, description)
        }
        self.converter = converter
        guard Self.setCookie(converter, format) else {
            // All members are set now, so the deinitializer disposes of the converter.
            throw AudioError(
                .badConfiguration,
                """
                Setting up the system's decoder of \(description.name) failed: it rejects the configuration of the stream
                """
            )
        }
        self.refusePriming()
    }

    deinit {
        AudioConverterDispose(self.converter)
    }

    /// Discards the state of earlier packets.
    func reset() {
        self.feed.clear()
        AudioConverterReset(self.converter)
    }

    private static func setCookie(_ converter: AudioConverterRef, _ format: AudioFormat) -> Bool {
        for cookie in CodecCookie.candidates(for: format) {
            let status = AudioConverterSetProperty(
                converter,
                kAudioConverterDecompressionMagicCookie,
                UInt32(clamping: cookie.count),
                cookie
            )
            if status == noErr { return true }
        }
        // Without a configuration, the packets themselves contain what the decoder needs.
        return !CodecCookie.isNeeded(for: format.codec)
    }

    /// Turns off trimming in the converter, because the player trims.
    ///
    /// Not every codec has these properties; a codec without them does not trim.
    private func refusePriming() {
        var method = UInt32(kConverterPrimeMethod_None)
        AudioConverterSetProperty(
            self.converter,
            kAudioConverterPrimeMethod,
            UInt32(MemoryLayout<UInt32>.size),
            &method
        )
        var info = AudioConverterPrimeInfo(leadingFrames: 0, trailingFrames: 0)
        AudioConverterSetProperty(
            self.converter,
            kAudioConverterPrimeInfo,
            UInt32(MemoryLayout<AudioConverterPrimeInfo>.size),
            &info
        )
    }

    /// Decodes a packet, and appends all decoded samples.
    ///
    /// - Parameters:
    ///   - bytes: the packet, without a header that the decoder does not accept.
    ///   - frames: how many frames the packet has.
    ///   - samples: receives the decoded samples, interleaved.
    /// - Throws: `AudioError` if the packet cannot be decoded.
    func decode(_ bytes: ByteMemory, frames: Int, into samples: inout [Float]) throws(AudioError) {
        let isTaken = self.feed.put(
            bytes,
            channelCount: UInt32(clamping: self.description.channelCount)
        )
        guard isTaken else {
            throw AudioError(.badPacket, "A packet of \(bytes.count) bytes cannot be decoded")
        }
        // One frame more than a packet has, so that the converter asks for the next packet and finds none.
        let capacity = max(frames, self.description.framesPerPacket) + 1
        for _ in 0..<8 {
            let (status, count) = self.fill(capacity, into: &samples)
            if status == PacketFeed.isEmpty { return }
            if status != noErr {
                self.feed.clear()
                throw AudioError.failure(status, packet: bytes.count)
            }
            if count == 0 { break }
        }
        self.feed.clear()
    }

    private func fill(_ capacity: Int, into samples: inout [Float]) -> (OSStatus, frames: Int) {
        let channels = self.description.channelCount
        var count = UInt32(clamping: capacity)
        var status = noErr
        let piece = [Float](unsafeUninitializedCapacity: capacity * channels) { memory, filled in
            var list = AudioBufferList(
                mNumberBuffers: 1,
                mBuffers: AudioBuffer(
                    mNumberChannels: UInt32(clamping: channels),
                    mDataByteSize: UInt32(clamping: memory.count * 4),
                    mData: UnsafeMutableRawPointer(memory.baseAddress)
                )
            )
            status = AudioConverterFillComplexBuffer(
                self.converter,
                PacketFeed.supply,
                Unmanaged.passUnretained(self.feed).toOpaque(),
                &count,
                &list,
                nil
            )
            // The number of frames that the system reports, at most the capacity; it is also correct after an
            // error.
            filled = min(Int(count), capacity) * channels
        }
        samples += piece
        return (status, piece.count / channels)
    }
}

extension AudioError {
    /// The error of a converter that could not be made.
    fileprivate static func refusal(_ status: OSStatus, _ description: CodecDescription)
        -> AudioError
    {
        let codec = description.name
        return switch status {
        case kAudioConverterErr_FormatNotSupported, kAudioConverterErr_OperationNotSupported:
            AudioError(
                .unsupported,
                """
                This system does not decode \(codec) at \(description.sampleRate) Hz with \
                \(description.channelCount) channels (\(CodecDescription.letters(of: status)))
                """
            )
        default:
            AudioError(
                .badConfiguration,
                "Setting up the system's decoder of \(codec) failed (\(CodecDescription.letters(of: status)))"
            )
        }
    }

    /// The error of a packet that was not decoded; most often it is damaged, and the next may be intact.
    fileprivate static func failure(_ status: OSStatus, packet: Int) -> AudioError {
        switch status {
        case kAudioCodecStateError, kAudioCodecIllegalOperationError,
            kAudioConverterErr_UnspecifiedError:
            AudioError(
                .failed,
                "The system's decoder has failed (\(CodecDescription.letters(of: status)))"
            )
        default:
            AudioError(
                .badPacket,
                "A packet of \(packet) bytes could not be decoded (\(CodecDescription.letters(of: status)))"
            )
        }
    }
}
#endif
