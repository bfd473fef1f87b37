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
    ///   - description: what is decoded; all of it known.
    ///   - format: the stream, for the cookie.
    /// - Throws: where the system does not decode it, or not with this configuration.
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
            // All is set by now: the deinitializer lets go of the converter.
            throw AudioError(
                .badConfiguration,
                """
                Setting up the system's decoder of \(description.name) failed: it does not take what the stream says \
                of itself
                """
            )
        }
        self.refusePriming()
    }

    deinit {
        AudioConverterDispose(self.converter)
    }

    /// Forgets the packets before.
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
        // Streams that say nothing of themselves are decoded by what the packets say.
        return !CodecCookie.isNeeded(for: format.codec)
    }

    /// Has the converter trim nothing: that is the player's business.
    ///
    /// Not every codec has these properties, and one that has not does not trim.
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

    /// Decodes a packet, and appends all that comes out.
    ///
    /// - Parameters:
    ///   - bytes: the packet, without a header that the decoder does not want.
    ///   - frames: how many it holds.
    ///   - samples: gets what comes out, interleaved.
    /// - Throws: where the packet cannot be decoded.
    func decode(_ bytes: ByteMemory, frames: Int, into samples: inout [Float]) throws(AudioError) {
        let isTaken = self.feed.put(
            bytes,
            channelCount: UInt32(clamping: self.description.channelCount)
        )
        guard isTaken else {
            throw AudioError(.badPacket, "A packet of \(bytes.count) bytes cannot be decoded")
        }
        // More than one packet holds: the converter is to ask for the next, and be told that there is none.
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
            // What the system says it wrote, as far as there is memory for it; on an error it wrote what it says, too.
            filled = min(Int(count), capacity) * channels
        }
        samples += piece
        return (status, piece.count / channels)
    }
}

extension AudioError {
    /// Why there is no converter.
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

    /// Why a packet was not decoded; most often it is damaged, and the next may be sound.
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
